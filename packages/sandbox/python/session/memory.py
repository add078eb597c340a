"""How much memory the checkpoints of a session take, which the host compares with their budget."""

# It is measured once nothing has happened for this time, in seconds, or before a cell once there are so many new checkpoints.
QUIET_SECONDS, MOST_UNMEASURED = 0.05, 2
MEMORY_FILES = "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.oom.group"


class Memory:
    def __init__(self, checkpoints):
        self.checkpoints, self.keeper = checkpoints, checkpoints.keeper
        # When to measure, which processes are still to be measured, and what was found.
        self.measure_at, self.to_measure, self.sizes = None, [], {}
        # Number of checkpoints that were made since.
        self.unmeasured = 0

    def due_at(self):
        return 0 if self.to_measure else self.measure_at

    def measure(self):
        """Plans to measure, one process at a time, while nothing runs."""
        self.measure_at = time.monotonic() + (0 if self.unmeasured >= MOST_UNMEASURED else QUIET_SECONDS)

    def measure_some(self):
        branch = self.keeper.branch
        if not self.to_measure:
            self.measure_at = None
            self.to_measure, self.sizes = [branch.pid, *self.checkpoints.pids()] if branch is not None and self.checkpoints.pids() else [], {}
        # A caller that leaves no time between cells waits for all of it.
        for _ in range(len(self.to_measure) if self.unmeasured >= MOST_UNMEASURED else 1):
            if self.to_measure:
                self.measure_next()
        if not self.to_measure:
            self.unmeasured = 0

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
        used, limit, is_group = map(read_number, MEMORY_FILES)
        # Without room above the value of the start, old checkpoints cannot be made the first to be killed.
        room = read_oom() + OOM_OLD <= 1000
        report = {"bytes": max(0, taken), "resident": own[1], "used": used, "limit": limit, "group": is_group == 1, "room": room}
        self.keeper.host.send(b"m", as_json(report))


def proportional_size(pid):
    """Memory of a process: its part of what it shares, and all of it. In bytes."""
    try:
        lines = [line.split() for line in read_file("/proc/%d/smaps_rollup" % pid).splitlines()]
    except OSError:
        return None
    sizes = {line[0]: int(line[1]) * 1024 for line in lines if len(line) == 3}
    return sizes.get(b"Pss:", 0), sizes.get(b"Rss:", 0)


def read_number(path):
    try:
        return int(read_file(path))
    except (OSError, ValueError):
        return None
