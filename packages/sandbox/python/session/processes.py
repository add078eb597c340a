"""Processes that cells have started: descendants of the running copy, and orphans that the keeper has adopted."""

import itertools

MOST_COMMANDS, LONGEST_COMMAND = 20, 200
# `subprocess.Popen` returns while the kernel still loads the program, which has no command line until then.
LOADING_SECONDS = 1


def processes_of_cells(spared, asleep):
    """
    All that cells have started and that still runs. `spared` are our own children, such as the running copy. Those that are `asleep` have
    started nothing.
    """
    orphans = own_children() - inherited - given_up - spared - asleep
    if not orphans and not any(map(has_children, spared)):
        return set()
    found = set(orphans)
    for pid in (*orphans, *spared):
        found.update(descendants(pid))
    return found - spared - asleep


def end_processes(spared, asleep):
    """Ends all that cells have started."""
    give_up_at = time.monotonic() + KILL_SECONDS
    left = processes_of_cells(spared, asleep)
    while left and not are_out_of_reach(left) and time.monotonic() < give_up_at:
        signal_each(left, _signal.SIGKILL)
        time.sleep(0.002)
        reap_orphans(spared | asleep)
        left = processes_of_cells(spared, asleep)


def reap_orphans(spared):
    for pid in own_children() - spared - inherited:
        try:
            os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            pass


def has_children(pid):
    try:
        for task in os.listdir("/proc/%d/task" % pid):
            if read_file("/proc/%d/task/%s/children" % (pid, task)):
                return True
        return False
    except OSError:
        # Kernels without this file.
        return True


def commands_of(pids):
    """Names processes that run. Those that have ended and were not waited for do not."""
    return list(itertools.islice(filter(None, map(command_of, sorted(pids))), MOST_COMMANDS))


def command_of(pid):
    """`None` for a process that has ended."""
    try:
        command = command_line_of(pid)
        if command == read_file("/proc/self/cmdline"):
            return "a fork of Python, process %d" % pid
        # A process that has ended has no command line either.
        if not command and read_file("/proc/%d/stat" % pid).rpartition(b")")[2].split()[0] in b"ZX":
            return None
    except OSError:
        return None
    text = command[: 4 * LONGEST_COMMAND].rstrip(b"\0").replace(b"\0", b" ").decode("utf-8", "replace")
    return shortened(text, LONGEST_COMMAND) or "process %d" % pid


def command_line_of(pid):
    give_up_at = time.monotonic() + LOADING_SECONDS
    path = "/proc/%d/cmdline" % pid
    command = read_file(path)
    while not command and has_program(pid) and time.monotonic() < give_up_at:
        time.sleep(0.001)
        command = read_file(path)
    return command


def has_program(pid):
    """Those that have ended, and threads of the kernel, have none."""
    try:
        return os.readlink("/proc/%d/exe" % pid) != ""
    except OSError:
        return False
