"""The start of the runner, in the order in which it has to happen."""

host = Host(os.dup(STDIN), os.dup(STDOUT))
host_id = None
if sys.argv[1:2] == ["--shared"]:
    host_id = int(sys.argv[2])
    del sys.argv[1:3]
try:
    if sys.implementation.name != "cpython":
        raise ImportError("it is %s, and only CPython can" % sys.implementation.name)
    if sys.version_info < (3, 8):
        raise ImportError("it is Python %d.%d, and 3.8 or later is needed" % sys.version_info[:2])
    if sys.flags.inspect:
        raise ImportError("PYTHONINSPECT is set")
    import ctypes
    import itertools
    import select
    from _functools import partial
    from itertools import compress, repeat
    from _operator import attrgetter, contains, is_, ne, not_, setitem

    if host_id is not None:
        import _socket

    try:
        import resource
    except ImportError:
        resource = None

    # Made from an address, a function does not refer to `ctypes`, which would otherwise outlive the program's modules.
    run_file = ctypes.PYFUNCTYPE(ctypes.c_int)(address_of("PyRun_SimpleFileEx"))
    # Still needed at the end of the program, when nothing else refers to it.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(run_file))
    open_file = ctypes.pythonapi.fopen
    open_descriptor = ctypes.pythonapi.fdopen
    open_file.restype = open_descriptor.restype = ctypes.c_void_p
    prctl = ctypes.pythonapi.prctl if sys.platform == "linux" else None
    if prctl is not None and prctl(PR_SET_CHILD_SUBREAPER, 1) != 0:
        raise OSError("the kernel refuses PR_SET_CHILD_SUBREAPER, as gVisor of 2022 does")
    depth = find_depth()
    find_memfd_create()
    if relative_variable() is not None:
        raise ImportError("%s has a relative path, which each program would take for another directory" % relative_variable())
    os.fork, os.register_at_fork
except (ImportError, AttributeError, OSError, MemoryError) as error:
    host.send_last(b"u", str(error).encode("utf-8", "replace"))
names_to_preload, sys.argv = sys.argv[1:], [""]
for name in set(sys.modules) - modules_of_a_start:
    del sys.modules[name]
# Up to 3.9 a program that imports `atexit` anew replaces all exit functions, ours included.
import atexit

if "atexit" not in modules_of_a_start:
    del sys.modules["atexit"]

parent = os.getpid()
# Children that were not started here, such as the helper of a network: they stay.
inherited = own_children()
# Children that could not be ended. The runner does not wait for them, so their process numbers are not reused.
given_up = set()
version = sys.version.split()[0].encode()
# With `-c` the first entry is the working directory; with a file it is the file's. `-P` leaves it out.
has_directory_on_path = sys.path[:1] == [""]
# What starts processes here may say where it does, as bubblewrap does.
has_directory_in_environment = os.environb.get(b"PWD") == os.getcwdb()
names_of_main = dict(vars(sys.modules["__main__"]))
if has_directory_on_path:
    del sys.path[0]
reopen_streams()
files_of_site = find_files_of_site()
state_of_site = state_of(files_of_site)
# The whole end of an interpreter: the last collection also finds objects from before the program, and no module is kept alive
# by this one or by its `ctypes`, to which C code refers. Exit functions run in reverse order, so these are the last. A program
# can call or remove them, so they are also called at the end of its file.
short_end = ShortEnd()
if "gc" not in modules_of_a_start:
    # The program has its own module with the same lists. Ours, to which `unfreeze` refers, would keep what they have.
    del gc.callbacks, gc.garbage
last_functions = [gc.unfreeze, globals().clear, vars(short_end.visible).clear]
if "ctypes" not in modules_of_a_start:
    last_functions.append(vars(ctypes).clear)
for function in last_functions[::-1]:
    atexit.register(function)
short_end.register()
generators = preload(host, names_to_preload)
if _thread._count() > 0:
    host.send_last(b"u", b"a module that was imported at its start has started a thread, which no fork would have")
launch = Launch()
if has_directory_on_path:
    sys.path.insert(0, "")
if prctl is not None:
    # Programs of the same user cannot look into our descriptors and memory.
    prctl(PR_SET_DUMPABLE, 0)
has_affinity = hasattr(os, "sched_getaffinity")
try:
    os.sched_getparam(0)
    has_policy = True
except (AttributeError, OSError):
    # musl has the functions, and they fail.
    has_policy = False
# Where there is no `prlimit`, no program can change those of another process.
limits = sorted({getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")})
if not hasattr(resource, "prlimit"):
    limits = []
has_64_bits = sys.platform == "linux" and sys.maxsize > 2**32
ioprio_get = IOPRIO_GET.get(os.uname().machine) if has_64_bits else None
inherited_settings = find_inherited_settings()
try:
    conditions = conditions_of(0)
except (OSError, ValueError):
    conditions = None
if host_id is not None:
    files_of_start = find_files_of_start()
    state_of_start = state_of(files_of_start)
forget_imports()
gc.collect()
short_end.begin()
gc.freeze()
trim = getattr(ctypes.pythonapi, "malloc_trim", None)
if trim is not None:
    # What only the start needed every program would copy, or give back at its end.
    trim(0)
if names_to_preload and sys.platform == "linux":
    collapse_pages()
wakeup = open_wakeup()
try:
    if host_id is None:
        host.send(b"h", version)
    else:
        host = fork_servers(host, wakeup)
        wakeup = open_wakeup()
    become(*serve(host, wakeup))
except (HostGone, KeyboardInterrupt):
    os._exit(0)
raise BecomeProgram
