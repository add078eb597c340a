"""How a fork becomes what a new interpreter is that runs a file."""


class BecomeProgram(BaseException):
    """Leaves every function of ours, in a child."""


def become(ends, outputs, descriptors):
    """Makes this child what a new interpreter is that was given the file of a program."""
    for descriptor, number in zip(outputs, (STDOUT, STDERR)):
        os.dup2(descriptor, number)
    for descriptor in descriptors:
        if descriptor not in ends:
            os.close(descriptor)
    _signal.set_wakeup_fd(-1)
    for number in (_signal.SIGCHLD, _signal.SIGIO):
        _signal.signal(number, _signal.SIG_DFL)
    if prctl is not None:
        prctl(PR_SET_DUMPABLE, 1)
        prctl(PR_SET_PDEATHSIG, _signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
    reopen_null()
    refresh_modules()
    rehearse()
    gc.collect()
    sys.modules["__main__"] = main_module()
    set_collector_back()
    take_order(*ends)
    sys.excepthook = run_file


def reopen_null():
    """Flags and locks of an open file are shared with all forks that have it. The path could lead to another file by now."""
    try:
        null = os.open("/proc/self/fd/%d" % STDIN, os.O_RDONLY)
    except OSError:
        null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, STDIN)
    os.close(null)


def refresh_modules():
    """What they remember of the time when they were loaded. `random` sees to it itself."""
    for generator in generators:
        generator.seed()
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()
    threading = sys.modules.get("threading")
    if hasattr(threading, "Thread") and hasattr(threading.Thread, "_set_native_id"):
        threading.main_thread()._set_native_id()
        # A fork loses the entry of the main thread (up to 3.12), which is seen at the end.
        lock, locks = getattr(threading.main_thread(), "_tstate_lock", None), getattr(threading, "_shutdown_locks", None)
        if lock is not None and isinstance(locks, set):
            locks.add(lock)
    multiprocessing = sys.modules.get("multiprocessing.process")
    if hasattr(multiprocessing, "current_process"):
        multiprocessing.current_process().authkey = os.urandom(32)


def set_collector_back():
    """To where it is at the start of a program: in which order cycles are freed at the end depends on it."""
    young, middle, old = counts_of_a_start
    for generation, count in ((1, old), (0, middle)):
        for _ in range(count):
            gc.collect(generation)
    launch.ballast = [[] for _ in range(young - gc.get_count()[0])]


def rehearse():
    """
    Runs an empty program, and writes to what every program writes to at its beginning and end. A page of memory that
    parent and child share is copied at the first write, which takes most of a short program's time: so it is done while
    nobody waits.
    """
    __builtins__.copy()
    exec(compile("0", "", "exec"), {})
    try:
        run_file(None, None, None)
    except SystemExit:
        pass
    short_end.renew()
    if short_end.is_possible:
        short_end.reason()
    launch.prepare(last_functions)


def take_order(orders, calls, answers):
    def read(size):
        received = bytearray()
        while len(received) < size:
            chunk = os.read(orders, size - len(received))
            if not chunk:
                os._exit(0)
            received += chunk
        return bytes(received)

    path, directory, directory_of_path, *variables = read(int.from_bytes(read(4), "big")).split(b"\0")
    added = [variable[1:] for variable in variables if variable.startswith(b"+")]
    tools = [variable[1:] for variable in variables if variable.startswith(b"!")]
    command = [part[1:] for part in variables if part.startswith(b">")]
    arguments = [part[1:] for part in variables if part.startswith(b"@")]
    has_file = b"-" not in variables
    sizes = [int(part[1:]) for part in variables if part.startswith(b"=")]
    variables = [variable for variable in variables if variable[:1] not in (b"+", b"!", b">", b"@", b"=", b"-")]
    launch.content = read(sizes[0]) if sizes else None
    os.close(orders)
    # Not before: who looks from outside sees by it that a program runs.
    os.setsid()
    os.chdir(directory)
    if command:
        become_other([*command, path, *arguments], directory, variables, added)
    watch_program(None if has_file else make_absent_file(os.fsdecode(path), launch.content))
    launch.path = path
    sys.argv = [os.fsdecode(part) for part in (path, *arguments)]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv = [sys.orig_argv[0], *sys.argv]
    if has_directory_on_path:
        sys.path[0] = os.fsdecode(directory_of_path)
    if has_directory_in_environment and not variables:
        os.environb[b"PWD"] = directory
    multiprocessing = sys.modules.get("multiprocessing.process")
    if multiprocessing is not None:
        multiprocessing.ORIGINAL_DIR = os.fsdecode(directory)
    if variables:
        os.environ.clear()
        for name, _, value in (variable.partition(b"=") for variable in variables):
            os.environb[name] = value
        time.tzset()
    for name, _, value in (variable.partition(b"=") for variable in added):
        os.environb[name] = value
    matplotlib = sys.modules.get("matplotlib") if added else None
    if hasattr(matplotlib, "rcParams"):
        # A preloaded Matplotlib has read the variable already.
        matplotlib.rcParams["backend"] = os.environ.get("MPLBACKEND")
    for source in tools:
        # Must come before the functions that look for files. `tools` may also name a file or a preloaded module.
        sys.modules.pop("tools", None)
        sys.meta_path.insert(0, ToolsFinder(source, calls, answers))


def become_other(command, directory, variables, added):
    """Executes another program than Python, in the environment that it would have if it had been started instead of us."""
    environment = environment_of_start()
    if variables:
        environment = dict(variable.split(b"=", 1) for variable in variables)
    elif has_directory_in_environment:
        environment[b"PWD"] = directory
    environment.update(variable.split(b"=", 1) for variable in added)
    # Python ignores these, and what is ignored stays so.
    for name in ("SIGPIPE", "SIGXFSZ"):
        if hasattr(_signal, name):
            _signal.signal(getattr(_signal, name), _signal.SIG_DFL)
    try:
        os.execve(command[0], command, environment)
    except OSError as error:
        os.write(STDERR, b"%s: %s\n" % (command[0], os.fsencode(error.strerror)))
        os._exit(126)


def environment_of_start():
    """Without what Python (`LC_CTYPE`), `sitecustomize` and preloaded modules have added."""
    try:
        with open("/proc/self/environ", "rb") as file:
            variables = file.read().split(b"\0")
    except OSError:
        return dict(os.environb)
    return dict(variable.split(b"=", 1) for variable in variables if b"=" in variable)


def main_module():
    """
    Like the first one, and like nothing else that was there when objects were frozen it is a new one: only so does the
    collector free what a program left in it.
    """
    module = type(sys)("__main__")
    vars(module).update(names_of_main)
    if "__annotations__" in names_of_main:
        module.__annotations__ = {}
    return module


class ToolsFinder:
    """Makes the module `tools` when a program imports it, which takes longer than the rest of a short program that does not."""

    def __init__(self, source, calls, answers):
        self.source = source
        self.descriptors = calls, answers
        # Python clears the global names of this file at the end of a program.
        self.new_spec, self.compile, self.run, self.builtins = type(sys.__spec__), compile, exec, __builtins__

    def find_spec(self, name, path=None, target=None):
        return self.new_spec(name, self) if name == "tools" else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__builtins__ = self.builtins
        self.run(self.compile(self.source, "<tools>", "exec"), module.__dict__)
        module._connect(*self.descriptors)
