"""Forks of the running Python that its program does not notice."""

# Numbers of system calls: clone(2), set_robust_list(2), get_robust_list(2).
SYSTEM_CALLS = {"x86_64": (56, 273, 274), "aarch64": (220, 99, 100)}
CLONE_PARENT, CLONE_CHILD_CLEARTID, CLONE_CHILD_SETTID = 0x8000, 0x200000, 0x1000000
# See prctl(2).
PR_GET_TID_ADDRESS = 40


def fork_in_silence():
    """Since 3.12 a fork warns when there are threads, which programs make an error of."""
    warnings = sys.modules.get("warnings")
    filters = vars(warnings).get("filters") if type(warnings) is type(sys) else None
    if filters is not None:
        warnings.filters = [("ignore", None, Warning, None, 0)]
    try:
        return os.fork()
    finally:
        if filters is not None:
            warnings.filters = filters


def fork_for_parent():
    """
    Makes a fork that is a child of our parent. Only for a process with one thread that runs no code of others meanwhile: functions that are
    to run at a fork do not run. Returns 0 in the fork, and -1 where it cannot be made.
    """
    calls = SYSTEM_CALLS.get(os.uname().machine) if sys.maxsize > 2**32 else None
    # Where glibc has the number of this thread, which the kernel must change in the fork. The C library musl has another number there.
    place = ctypes.c_void_p()
    if calls is None or prctl(PR_GET_TID_ADDRESS, ctypes.byref(place)) != 0 or not place.value:
        return -1
    if ctypes.c_int.from_address(place.value).value != os.getpid():
        return -1
    clone, set_robust_list, get_robust_list = calls
    system_call, flags = ctypes.pythonapi.syscall, CLONE_PARENT | CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | _signal.SIGCHLD
    head, size = ctypes.c_void_p(), ctypes.c_size_t()
    has_list = system_call(ctypes.c_long(get_robust_list), ctypes.c_long(0), ctypes.byref(head), ctypes.byref(size)) == 0
    # Processors differ in the order of the last two.
    pid = system_call(ctypes.c_long(clone), ctypes.c_long(flags), ctypes.c_long(0), ctypes.c_long(0), place, place)
    if pid == 0 and has_list:
        system_call(ctypes.c_long(set_robust_list), head, size)
    return pid


def forget_child(pid):
    """Waits for a child of ours, while SIGCHLD is blocked, so that no handler of the program hears of it."""
    try:
        os.waitpid(pid, 0)
    except ChildProcessError:
        # The program ignores SIGCHLD, or waits for children in a thread.
        pass
    if _signal.SIGCHLD not in _signal.sigpending():
        return
    signal = _signal.sigtimedwait([_signal.SIGCHLD], 0)
    try:
        others = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        others = None
    if (signal is not None and signal.si_pid != pid) or others is not None:
        # It was of a child of the program, or may have been.
        os.kill(os.getpid(), _signal.SIGCHLD)
