"""What could be seen at the end of a program: objects with finalizers, and callbacks."""

# See Py_TPFLAGS_HEAPTYPE and Py_TPFLAGS_IMMUTABLETYPE.
IS_HEAP_TYPE, IS_IMMUTABLE = 1 << 9, 1 << 8
# Packages whose callbacks and C code do nothing that can be seen, and modules in C of which the same is true.
QUIET_PACKAGES = "numpy pandas matplotlib mpl_toolkits PIL contourpy kiwisolver dateutil pytz cycler fontTools pyparsing _cyutility".split()
QUIET_MODULES = frozenset(
    """
    _abc _ast _asyncio _bisect _blake2 _bz2 _codecs _codecs_cn _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw
    _collections _contextvars _crypt _csv _ctypes _datetime _decimal _elementtree _functools _hashlib _heapq _hmac _imp _io _json
    _locale _lsprof _lzma _md5 _multibytecodec _multiprocessing _opcode _operator _pickle _posixshmem _posixsubprocess _queue
    _random _sha1 _sha2 _sha256 _sha3 _sha512 _signal _socket _sre _ssl _stat _statistics _string _struct _suggestions _symtable
    _sysconfig _thread _tokenize _tracemalloc _types _typing _uuid _warnings _weakref _zoneinfo _zstd array atexit binascii
    builtins cmath errno faulthandler fcntl gc grp itertools marshal math mmap posix pwd pyexpat resource select sys termios time
    unicodedata zlib
    """.split()
)
# Attributes that files have of themselves.
ATTRIBUTES_OF_FILES = frozenset(("mode", "name", "__IOBase_closed"))

# What classes are, whatever their own class does.
attributes_of = vars(type)["__dict__"].__get__
order_of = vars(type)["__mro__"].__get__
name_of = vars(type)["__name__"].__get__
flags_of = vars(type)["__flags__"].__get__


def is_quiet_module(name):
    return name in QUIET_MODULES or name.partition(".")[0] in QUIET_PACKAGES


class Visible:
    """Finds it. Keeps nothing of a program alive, and has its own functions, because programs replace those of modules."""

    def __init__(self):
        import _warnings
        import _weakref

        self.count_threads, self.get_debug = _thread._count, gc.get_debug
        self.lists_of_collector = gc.callbacks, gc.garbage
        self.canary = []
        self.modules, self.last_module, self.filters = sys.modules, None, _warnings.filters
        self.reference, self.proxies = _weakref.ref, (_weakref.ProxyType, _weakref.CallableProxyType)
        self.callback_of = vars(_weakref.ref)["__callback__"].__get__
        packages = [os.path.join(place, name) for place in places_of_packages() for name in QUIET_PACKAGES]
        places = [os.path.join(place, "") for place in (os.path.dirname(os.__file__), *packages)]
        self.places = ("<frozen ", *places)
        self.streams = [(name, self.reference(getattr(sys, name))) for name in ("stdout", "stderr")]
        self.layers = [layer for _, stream in self.streams for layer in map(self.reference, layers_of(stream()))]
        # Classes that cannot change, and whose objects end unseen.
        self.settled = frozenset()
        self.checks = [self.check_state, self.check_streams, self.check_classes, self.check_objects]

    def reason(self, objects):
        """Why the end of these objects, and of the interpreter, could be seen; `None` if it cannot."""
        for check in self.checks:
            reason = check(objects)
            if reason is not None:
                return reason

    def settle(self, objects):
        self.last_module = next(reversed(self.modules))
        self.settled = frozenset(
            kind
            for kind in set(map(type, objects))
            if not is_changeable(kind) and not self.has_visible_end(kind)
        )

    def check_state(self, objects):
        if not any(map(is_, objects, repeat(self.canary))):
            return "objects are frozen"
        if self.count_threads() > 0:
            return "a thread runs"
        if any(self.lists_of_collector) or self.get_debug():
            return "the collector has something to report"
        # Only those that are new: a look at an object copies its page.
        for name in reversed(self.modules):
            if type(name) is not str:
                return "a module has a strange name"
            if name == self.last_module:
                break
        if self.shows_unclosed_files():
            return "warnings of unclosed files are shown"

    def check_streams(self, _):
        for name, stream in self.streams:
            if vars(sys).get(name) is not stream():
                return name + " was replaced"
        for layer in self.layers:
            if layer() is None or not ATTRIBUTES_OF_FILES.issuperset(layer().__dict__):
                return "a stream was changed"

    def check_classes(self, objects):
        """Comes before anything that could call methods of metaclasses."""
        for kind in compress(objects, map(issubclass, map(type, objects), repeat(type))):
            if type(kind) is not type and has_own(type(kind), ("__hash__", "__eq__")):
                return "a metaclass has its own hash"
            if issubclass(kind, str) and not all(map(self.is_of_library, values_of(kind, ("__hash__", "__eq__")))):
                return "names have their own hash"

    def check_objects(self, objects):
        kinds = {kind for kind in set(map(type, objects)) - self.settled if self.has_visible_end(kind)}
        for each in compress(objects, map(kinds.__contains__, map(type, objects))):
            if not self.ends_unseen(each, type(each)):
                return "a %s is left" % name_of(type(each))

    def has_visible_end(self, kind):
        order = order_of(kind)
        return has_own(kind, ("__del__",)) or any(map(is_, order, repeat(self.reference))) or kind in self.proxies

    def ends_unseen(self, each, kind):
        if kind in frame_attributes:
            return getattr(each, frame_attributes[kind]) is None
        if kind in kinds_of_files:
            return any(layer() is each for layer in self.layers) or self.closes_unseen(each)
        if any(map(is_, order_of(kind), repeat(self.reference))) and not has_own(kind, ("__del__",)):
            return self.is_of_library(self.callback_of(each))
        # It only warns, which is not shown.
        is_process = kind is self.value_of("subprocess", "Popen")
        return is_process and all(map(self.is_of_library, values_of(kind, ("__del__",))))

    def closes_unseen(self, file):
        """Whether it is closed already, or is read."""
        try:
            *layers, last = layers_of(file)
            if not all(ATTRIBUTES_OF_FILES.issuperset(layer.__dict__) for layer in (*layers, last)):
                return False
        except ValueError:
            return False
        if type(last) is not io.FileIO:
            return type(last) in (io.BytesIO, io.StringIO)
        return last.closed or not last.writable()

    def shows_unclosed_files(self):
        """Whether the `ResourceWarning` of a file or a directory that was not closed is shown."""
        filters = self.value_of("warnings", "filters")
        for action, message, category, module, line in self.filters if filters is None else filters:
            if any(map(is_, order_of(ResourceWarning), repeat(category))):
                if action != "ignore":
                    return True
                if message is None and module is None and line == 0:
                    return False
        return True

    def value_of(self, module, name):
        """As far as both have nothing of the program."""
        module = self.modules.get(module)
        return vars(module).get(name) if type(module) is type(sys) else None

    def is_of_library(self, function):
        """Whether it is absent, C code, or code of the library or a quiet package."""
        if type(function) is type(self.is_of_library):
            function = function.__func__
        if type(function) is type(has_own):
            return function.__code__.co_filename.startswith(self.places)
        return function is None or type(function) in kinds_of_c_functions


def is_changeable(kind):
    """Whether a program can set attributes of a class."""
    return flags_of(kind) & (IS_HEAP_TYPE | IS_IMMUTABLE) == IS_HEAP_TYPE


def has_own(kind, names):
    """Whether a class has such an attribute that is not that of every object."""
    return any(True for _ in values_of(kind, names))


def values_of(kind, names):
    for each in order_of(kind):
        if each is not object and each is not type:
            attributes = attributes_of(each)
            for name in names:
                if name in attributes:
                    yield attributes[name]


def layers_of(file):
    """A file, the buffer below it, and the file below that. Other layers than those of `io` have code of a program."""
    while True:
        yield file
        if type(file) is io.TextIOWrapper:
            file = file.buffer
        elif type(file) in (io.BufferedReader, io.BufferedWriter, io.BufferedRandom):
            file = file.raw
        else:
            return


def frame_attributes_of_generators():
    """Where those that are suspended have a frame, by their classes."""

    async def coroutine():
        pass

    async def async_generator():
        yield

    waiting = coroutine()
    kinds = {type(waiting): "cr_frame", type(async_generator()): "ag_frame", type(each for each in ()): "gi_frame"}
    waiting.close()
    return kinds


frame_attributes = frame_attributes_of_generators()
kinds_of_files = frozenset(
    (io.FileIO, io.BufferedReader, io.BufferedWriter, io.BufferedRandom, io.TextIOWrapper, io.BytesIO, io.StringIO)
)
kinds_of_c_functions = frozenset(map(type, (len, str.join, str.__hash__, attributes_of)))


def find_finalizer_slot():
    """Where a class has the address of its finalizer: the word that differs by nothing else. `None` if there is no such word."""

    class Plain:
        pass

    class Final:
        def __del__(self):
            pass

    class Other:
        def __del__(self):
            pass

    count = type.__basicsize__ // ctypes.sizeof(ctypes.c_size_t)
    words = zip(*((ctypes.c_size_t * count).from_address(id(kind)) for kind in (Plain, Final, Other)))
    found = [index for index, (plain, final, other) in enumerate(words) if plain == 0 and final == other != 0]
    return found[0] * ctypes.sizeof(ctypes.c_size_t) if len(found) == 1 else None
