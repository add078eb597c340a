"""
The end of a program, without destroying what is left of it where that makes no visible difference.

The interpreter's whole end destroys every object, which takes longer than most programs. It can be seen only if

1. an object has a finalizer, or a weak reference has a callback;
2. an exit function, a thread, a hook or a stream has something to do;
3. C code does something when its objects are freed.

`ShortEnd.decide` is the last exit function; threads were joined before. The collector lists all that the program made and
that has a finalizer, because it ignores (`gc.freeze`) what was there before. That was looked at then: since then nothing of it
has got a finalizer (`slots`) or another class (an audit event). Of C code there is only what `visible.py` names. Where all this
holds, the streams are flushed and the process exits. Anything else takes the whole end, for which nothing was destroyed.
"""

# Audit events after which there is more to know about the end than is looked at; if only for one attribute, for which.
DOUBTFUL_EVENTS = dict.fromkeys(
    """
    sys.addaudithook sys.settrace sys.setprofile sys.monitoring.register_callback ctypes.cdata ctypes.dlsym ctypes.dlsym/handle
    """.split()
)
DOUBTFUL_EVENTS["object.__setattr__"] = "__class__"


class ShortEnd:
    def __init__(self):
        # Why the end must be whole. Events are added while a program runs.
        self.doubts = []
        # The exit status, once the file has run to its end.
        self.status = [None]
        self.visible = Visible()
        self.is_possible = False
        self.slots = []
        self.get_objects, self.exit, self.flush_all = gc.get_objects, os._exit, ctypes.pythonapi.fflush
        self.flush = io.TextIOWrapper.flush
        self.function = None
        is_known = (3, 10) <= sys.version_info < (3, 14) and getattr(sys, "_is_gil_enabled", lambda: True)()
        has_hooks = atexit._ncallbacks() > 0 or sys.gettrace() or sys.getprofile()
        is_verbose = sys.flags.dev_mode or sys.flags.verbose or "PYTHONMALLOCSTATS" in os.environ
        if not is_known or has_hooks or is_verbose or sys.warnoptions or sys._xoptions:
            self.doubts.append("the interpreter is not as usual")

    def register(self):
        """A C function asks first: trace functions see only those of Python."""
        self.function = partial(list, map(self.decide, filter(not_, [self.doubts])))
        atexit.register(self.function)

    def begin(self):
        """Looks at what is there before the first program. Where that could end visibly, every end is whole."""
        if self.doubts:
            return
        objects = gc.get_objects()
        slot = find_finalizer_slot()
        self.renew()
        loud = [name for name in names_of_libraries() if not is_quiet_module(name)]
        reason = self.visible.reason([*objects, self.visible.canary]) or ("no slot" if slot is None else ", ".join(loud))
        if reason:
            self.doubts.append(reason)
            return
        self.visible.settle(objects)
        changeable = [kind for kind in set(map(type, objects)) if is_changeable(kind) and not has_own(kind, ("__del__",))]
        self.is_possible = True
        self.slots = [ctypes.c_void_p.from_address(id(kind) + slot) for kind in changeable]

    def renew(self):
        """In a fork: the collector lists what is made here."""
        self.visible.canary = []
        self.status[0] = None

    def calls_at_end_of_file(self):
        """C functions for `Launch.prepare`: before the status is known to be success, and after."""
        return [itertools.starmap(setitem, [(self.status, 0, status)]) for status in (1, 0)]

    def is_removed(self):
        """As an iterator of C functions: whether the program has removed the exit function. Where it has no effect, it counts as removed."""
        if not self.is_possible:
            return [True]
        held_here = [self.function]
        count = next(map(sys.getrefcount, held_here))
        return map(ne, [count], map(sys.getrefcount, held_here))

    def decide(self, _):
        try:
            if self.status[0] is None or self.reason() is not None:
                return
            for _, stream in self.visible.streams:
                self.flush(stream())
            self.flush_all(None)
        except Exception:
            # The whole end meets the same, and reports it.
            return
        self.exit(self.status[0])

    def reason(self):
        if any(map(attrgetter("value"), self.slots)):
            return "a class has got a finalizer"
        if self.status[0] == 1 and issubclass(vars(sys).get("last_type"), KeyboardInterrupt):
            return "it was interrupted"
        return self.visible.reason(self.get_objects())


def names_of_libraries():
    """Modules in C that were imported before the first program."""
    for name, module in list(sys.modules.items()):
        origin = getattr(getattr(module, "__spec__", None), "origin", None)
        if origin == "built-in" or (isinstance(origin, str) and origin.endswith(".so")):
            yield name
