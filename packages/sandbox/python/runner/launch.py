"""Running a file without a frame of ours on the stack."""

# See memfd_create(2) and fcntl(2): no more seals, shrinking, growing or writing.
MFD_CLOEXEC, MFD_ALLOW_SEALING = 1, 2
F_ADD_SEALS, EVERY_SEAL = 1033, 1 | 2 | 4 | 8


class Launch:
    """Lets the interpreter run a file once the exception that is raised next has left all frames."""

    def __init__(self):
        self.path = b""
        # What is run in place of what is in the file. At the rehearsal it is not empty, so that `sealed` writes.
        self.content = b"\n" if can_seal else None
        # Not always the interpreter's: `sitecustomize` or a preloaded module may have set another.
        self.excepthook = sys.excepthook
        # int PyRun_SimpleFileEx(FILE *file, const char *path, int closes_file) has three arguments as
        # `sys.excepthook` has. They are made into others just before the call, by functions that have returned then.
        run_file.argtypes = [Argument(self.open), Argument(lambda _: self.path), Argument(lambda _: 1)]
        self.prepare([])

    def prepare(self, functions):
        """
        Sets the function that receives the status of the file. It consists of C functions only, because a trace or profile
        function of the program sees every other one. It compares the status with each item: a failure is found, and leaves in
        the way that the interpreter has for it: exit code 1, or SIGINT. Success is not found, and exits. Before that it calls the
        functions, which return `None`, unless they are still exit functions.
        """
        functions = itertools.chain.from_iterable([itertools.starmap(function, [()]) for function in functions])
        calls = [itertools.chain.from_iterable(compress([functions], short_end.is_removed()))]
        if depth is not None and hasattr(ctypes.pythonapi, "Py_EnterRecursiveCall"):
            enter = ctypes.PYFUNCTYPE(None, ctypes.c_char_p)(address_of("Py_EnterRecursiveCall"))
            calls.append(map(enter, [b""]))
        failed, succeeded = short_end.calls_at_end_of_file()
        run_file.restype = partial(contains, itertools.chain(*calls, failed, [-1], succeeded, map(sys.exit, [0])))

    def open(self, _):
        if self.content is not None:
            file = open_descriptor(sealed(self.content) if can_seal else unlinked(self.path, self.content), b"rb")
        elif self.path:
            file = open_file(self.path, b"rb")
        else:
            # An earlier program may have put something else where the null device was.
            file = open_descriptor(os.dup(STDIN), b"rb")
        if not file:
            self.cannot_open()
        # What the report of our own exception has set.
        sys.excepthook = self.excepthook
        if self.path:
            del self.excepthook, self.content
        for name in ("last_type", "last_value", "last_traceback", "last_exc"):
            if hasattr(sys, name):
                delattr(sys, name)
        shift_depth(-1)
        return ctypes.c_void_p(file)

    def cannot_open(self):
        if self.content is not None:
            os.write(STDERR, b"%s cannot be run: there is no memory or no descriptor left for it.\n" % self.path)
            os._exit(2)
        try:
            open(self.path, "rb")
        except OSError as error:
            text = "%s: can't open file %r: [Errno %d] %s\n"
            message = text % (sys.executable, os.fsdecode(self.path), error.errno, error.strerror)
            os.write(STDERR, os.fsencode(message))
        os._exit(2)


def sealed(content):
    """A descriptor to read this from, of a file in memory that no process can write to; a bad one where there is no memory."""
    fd = memfd_create(b"program", MFD_CLOEXEC | MFD_ALLOW_SEALING)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(fd, rest) :]
        if ctypes.pythonapi.fcntl(fd, F_ADD_SEALS, EVERY_SEAL) != 0:
            return -1
        os.lseek(fd, 0, os.SEEK_SET)
    except OSError:
        return -1
    return fd


def unlinked(path, content):
    """As `sealed`, where there are no such files: one without a name."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        os.unlink(path)
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(fd, rest) :]
        os.lseek(fd, 0, os.SEEK_SET)
    except OSError:
        return -1
    return fd


def find_memfd_create():
    """`None` where the system, or its C library, has no files in memory that can be sealed."""
    global memfd_create, can_seal
    memfd_create = getattr(ctypes.pythonapi, "memfd_create", None)
    fd = -1 if memfd_create is None else sealed(b"")
    can_seal = fd >= 0
    if can_seal:
        os.close(fd)


class Argument:
    def __init__(self, value_of):
        self.from_param = value_of


def find_depth():
    """
    Up to 3.11 a call of C counts towards the recursion limit, so the program would reach it one call too early. The
    counter lies behind four pointers' worth of the thread's state; it is believed if it counts.
    """
    if sys.version_info >= (3, 12):
        return None
    state = ctypes.pythonapi.PyThreadState_Get
    state.restype = ctypes.c_void_p
    counter = ctypes.c_int.from_address(state() + 4 * ctypes.sizeof(ctypes.c_void_p))

    def depth_inside():
        return counter.value

    before = counter.value
    step = depth_inside() - before
    after = counter.value
    return (counter, step) if before == after and abs(step) == 1 else None


def address_of(name):
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value


def shift_depth(calls):
    if depth is not None:
        counter, step = depth
        counter.value += calls * step
