"""What the threads and the memory of a Python tell of the libraries in it."""


# The class of tqdm's thread.
MONITOR = "TMonitor"


def live_threads():
    threading = sys.modules.get("threading")
    if threading is None or not hasattr(threading, "enumerate"):
        return []
    return [thread for thread in threading.enumerate() if thread is not threading.main_thread()]


def python_threads():
    return {getattr(thread, "native_id", None) for thread in live_threads()}


def owner_of(thread):
    return type(thread).__name__


def target_of(thread):
    target = getattr(thread, "_target", None)
    return getattr(target, "__qualname__", "") if target is not None else ""


def is_repaired(thread):
    """Whether a repair lets its library start it again."""
    pools = sys.modules.get("concurrent.futures.thread")
    if pools is not None and thread in pools._threads_queues:
        return True
    listener = getattr(sys.modules.get("logging.handlers"), "QueueListener", None)
    owner = getattr(getattr(thread, "_target", None), "__self__", None)
    return (listener is not None and isinstance(owner, listener)) or owner_of(thread) == MONITOR or thread.name == "QueueFeederThread"


def executor_of(thread):
    """The pool of a thread that waits for work, or works."""
    reference = next(iter(getattr(thread, "_args", None) or ()), None)
    return reference() if callable(reference) else None


def is_busy(executor):
    idle = executor._idle_semaphore._value
    return executor._work_queue.qsize() > 0 or idle < len([each for each in executor._threads if each.is_alive()])


def renew_locks(queue):
    """A thread that has ended still waits for a `queue.Queue`, as far as that can tell."""
    threading = sys.modules["threading"]
    if not hasattr(queue, "mutex"):
        return
    queue.mutex = threading.Lock()
    for name in ("not_empty", "not_full", "all_tasks_done"):
        setattr(queue, name, threading.Condition(queue.mutex))


# What the kernel tells of the memory of this process. It is read once for a checkpoint, because that takes milliseconds with many libraries,
# and it is not split into lines where nothing is found: each new page of memory costs as much as a system call after a fork.
memory_text = b""


def read_mappings():
    global memory_text
    try:
        memory_text = read_file("/proc/self/maps")
    except OSError:
        memory_text = b""


def mappings(*marks):
    """The parts of the lines in which one of the marks is."""
    if not any(mark in memory_text for mark in marks):
        return []
    return [line.split(None, 5) for line in memory_text.splitlines() if any(mark in line for mark in marks)]


def mapped_files(name):
    return {line[5].strip().decode("utf-8", "surrogateescape") for line in mappings(name) if len(line) > 5 and line[5][:1] == b"/"}


def shared_mappings():
    """Memory that is written here is written in each copy as well."""
    found = set()
    for line in mappings(b"w-s ", b"wxs "):
        if line[1][1:] in (b"w-s", b"wxs"):
            found.add(line[5].strip().decode("utf-8", "replace").partition(" (deleted)")[0] if len(line) > 5 else "")
    # Semaphores of process pools, which are named as such.
    return sorted(name or "memory" for name in found if not name.startswith("/dev/shm/sem."))[:MOST_NAMES]
