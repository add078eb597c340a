"""How much memory the checkpoints of a session take, which the host compares with their budget."""

# It is measured once nothing has happened for this time, in seconds. A caller that leaves no such time between cells waits for it once this
# number of checkpoints is new, or once the running Python may have written this number of bytes.
QUIET_SECONDS, MOST_UNMEASURED, MOST_WRITTEN = 0.05, 8, 2**24
# Of control groups, versions 2 and 1: memory in use, its limit, and what counts the part that the kernel keeps of files.
GROUPS = (
    ("/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.stat", b"inactive_file"),
    (
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.stat",
        b"total_inactive_file",
    ),
)
# Whether the kernel ends all processes of the group together.
GROUP_FILE = "/sys/fs/cgroup/memory.oom.group"


class Memory:
    def __init__(self, checkpoints):
        self.checkpoints, self.keeper = checkpoints, checkpoints.keeper
        # When to measure, which processes are still to be measured, and what was found.
        self.measure_at, self.is_pressing, self.to_measure, self.sizes = None, False, [], {}
        # Number of checkpoints that were made since, and which Python ran then, with its counters.
        self.unmeasured, self.counted = 0, None

    def due_at(self):
        return 0 if self.to_measure else self.measure_at

    def measure(self):
        """Plans to measure, one process at a time, while nothing runs."""
        self.is_pressing = self.unmeasured > 0 and (self.unmeasured >= MOST_UNMEASURED or self.written() >= MOST_WRITTEN)
        self.measure_at = time.monotonic() + (0 if self.is_pressing else QUIET_SECONDS)

    def written(self):
        """What the running Python has written since, in bytes: a page for each fault, and the pages by which it has grown."""
        now, then = self.counters(), self.counted
        if now is None or then is None or now[0] != then[0]:
            # Another Python runs since.
            self.counted = now
            return 0
        return ((now[1] - then[1]) + max(0, now[2] - then[2])) * PAGE_BYTES

    def counters(self):
        """The running Python, its page faults and its pages; see proc(5)."""
        branch = self.keeper.branch
        try:
            values = read_file("/proc/%d/stat" % branch.pid).rpartition(b")")[2].split()
            return branch.pid, int(values[7]), int(values[21])
        except (AttributeError, OSError, IndexError):
            return None

    def measure_some(self):
        branch = self.keeper.branch
        if not self.to_measure:
            self.measure_at, self.counted = None, self.counters()
            self.to_measure, self.sizes = [branch.pid, *self.checkpoints.pids()] if branch is not None and self.checkpoints.pids() else [], {}
        # A caller that leaves no time between cells waits for all of it.
        for _ in range(len(self.to_measure) if self.is_pressing else 1):
            if self.to_measure:
                self.measure_next()
        if not self.to_measure:
            self.unmeasured, self.is_pressing = 0, False

    def measure_next(self):
        pid = self.to_measure.pop()
        size = proportional_size(pid)
        if size is not None:
            self.sizes[pid] = size
        if self.to_measure or self.keeper.branch is None:
            return
        own = self.sizes.get(self.keeper.branch.pid)
        if own is None:
            return
        # What the running Python has would be there without checkpoints, too.
        taken = sum(size for size, _ in self.sizes.values()) - own[1]
        used, limit = used_and_limit()
        # Without room above the value of the start, old checkpoints cannot be made the first to be killed.
        room = read_oom() + OOM_OLD <= 1000
        report = {"bytes": max(0, taken), "resident": own[1], "used": used, "limit": limit, "group": read_number(GROUP_FILE) == 1, "room": room}
        self.keeper.host.send(b"m", as_json(report))


def proportional_size(pid):
    """Memory of a process: its part of what it shares, and all of it. In bytes."""
    try:
        lines = [line.split() for line in read_file("/proc/%d/smaps_rollup" % pid).splitlines()]
    except OSError:
        return None
    sizes = {line[0]: int(line[1]) * 1024 for line in lines if len(line) == 3}
    return sizes.get(b"Pss:", 0), sizes.get(b"Rss:", 0)


def used_and_limit():
    """Of the sandbox, in bytes, where it has a limit that it can read."""
    for use, limit, counts, cache in GROUPS:
        used = read_number(use)
        if used is None:
            continue
        try:
            cached = int(dict(line.split()[:2] for line in read_file(counts).splitlines()).get(cache, 0))
        except OSError:
            cached = 0
        return used - cached, read_number(limit)
    return None, None


def read_number(path):
    try:
        return int(read_file(path))
    except (OSError, ValueError):
        return None
