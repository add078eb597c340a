"""The interpreter before its first program: preloaded modules, its streams, its memory."""

# See madvise(2), and the size of a large page (x86-64 and most others).
MADV_COLLAPSE, LARGE_PAGE = 25, 2 * 2**20


def preload(host, names):
    watch = SeedWatch()
    if "random" in sys.modules:
        watch.begin(sys.modules["random"])
    elif names:
        sys.meta_path.insert(0, watch)
    for name in names:
        try:
            if os.path.isabs(name):
                run_beforehand(name)
            else:
                __import__(name)
        except BaseException as error:
            reason = "%s: %s" % (type(error).__name__, error)
            host.send_last(b"p", name.encode() + b"\0" + reason.encode("utf-8", "replace"))
    return watch.end()


class SeedWatch:
    """Notes generators of random numbers that preloaded modules seed from the system: copies of them would agree."""

    def __init__(self):
        self.generators = {}
        self.random = self.seed = self.setstate = None

    def find_spec(self, name, path=None, target=None):
        if name != "random":
            return None
        sys.meta_path.remove(self)
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                spec.loader = WatchedLoader(spec.loader, self)
                return spec
        return None

    def begin(self, random):
        self.random, self.seed, self.setstate = random, random.Random.seed, random.Random.setstate

        def seed(generator, *values, **options):
            self.note(generator, [*values[:1], options.get("a")][0] is None)
            return self.seed(generator, *values, **options)

        def setstate(generator, state):
            self.note(generator, False)
            return self.setstate(generator, state)

        random.Random.seed, random.Random.setstate = seed, setstate

    def note(self, generator, is_of_system):
        self.generators.pop(id(generator), None)
        if is_of_system:
            self.generators[id(generator)] = generator

    def end(self):
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        if self.random is not None:
            self.random.Random.seed, self.random.Random.setstate = self.seed, self.setstate
        return list(self.generators.values())


class WatchedLoader:
    """Begins the watch once a module was executed, and leaves no trace in the module."""

    def __init__(self, loader, watch):
        self.loader = loader
        self.watch = watch

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        self.watch.begin(module)


def run_beforehand(path):
    """A file that a program will run: it finds what was imported here."""
    with open(path, "rb") as file:
        exec(compile(file.read(), path, "exec"), {"__name__": "beforehand", "__file__": path})


def reopen_streams():
    """
    As the interpreter makes them, for the descriptors that programs have: what they were told of a descriptor when they
    were made was true of another one. Nothing is written to them here, so one set does for all programs.
    """
    errors_of_ours = os.dup(STDERR)
    null_in, null_out = os.open(os.devnull, os.O_RDONLY), os.open(os.devnull, os.O_WRONLY)
    pipe = os.pipe()
    for descriptor, number in ((null_in, STDIN), (pipe[1], STDOUT), (pipe[1], STDERR)):
        os.dup2(descriptor, number)
    sys.stdin = sys.__stdin__ = reopened(sys.__stdin__)
    sys.stdout = sys.__stdout__ = reopened(sys.__stdout__)
    sys.stderr = sys.__stderr__ = reopened(sys.__stderr__)
    # What modules print while they are loaded is not for the host, and their complaints are ours.
    os.dup2(null_out, STDOUT)
    os.dup2(errors_of_ours, STDERR)
    for descriptor in (errors_of_ours, null_in, null_out, *pipe):
        os.close(descriptor)


def reopened(stream):
    fd, mode = stream.fileno(), stream.mode
    is_unbuffered = isinstance(stream.buffer, io.FileIO)
    binary = io.open(fd, mode + "b", 0 if is_unbuffered else -1, closefd=False)
    (binary if is_unbuffered else binary.raw).name = "<%s>" % ("stdin", "stdout", "stderr")[fd]
    text = io.TextIOWrapper(
        binary, stream.encoding, stream.errors, "\n", stream.line_buffering, stream.write_through
    )
    text.mode = mode
    return text


def forget_imports():
    """
    Removes what the import system remembers of directories and archives that programs can change. A new interpreter looks
    at the packages and the library only once, too, and the former are watched.
    """
    places = (os.path.dirname(os.__file__), *places_of_packages())
    for path in list(sys.path_importer_cache):
        is_watched = any(path == place or path.startswith(place + os.sep) for place in places)
        if not is_watched and not is_archive_of_library(path):
            del sys.path_importer_cache[path]
    archives = getattr(sys.modules.get("zipimport"), "_zip_directory_cache", None)
    if archives is not None:
        archives.clear()


def is_archive_of_library(path):
    """Which is nearly never there, and the first place of every search."""
    return os.path.basename(path) == "python%d%d.zip" % sys.version_info[:2] and path.startswith(sys.base_prefix)


def collapse_pages():
    """
    Into large ones, as far as the kernel does (Linux 6.1): of those a fork copies one entry, and not one for each of their
    512 parts. That pays where preloaded modules take much memory.
    """
    collapse = ctypes.pythonapi.madvise
    collapse.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    try:
        with open("/proc/self/maps", "rb") as file:
            mapped = [line.split() for line in file]
    except OSError:
        return
    for extent, rights, _, _, _, *name in mapped:
        if rights == b"rw-p" and name in ([], [b"[heap]"]):
            start, end = (int(address, 16) for address in extent.split(b"-"))
            first = -(-start // LARGE_PAGE) * LARGE_PAGE
            for address in range(first, end - LARGE_PAGE + 1, LARGE_PAGE):
                collapse(address, LARGE_PAGE, MADV_COLLAPSE)
