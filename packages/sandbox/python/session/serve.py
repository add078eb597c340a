"""
The keeper of a session: a resident Python that runs no programs. It forks the running copy, in which cells run, and is between
it and the host.
"""

import _socket

# How much is kept of what comes after the end of a cell, in bytes.
MOST_LATE = 65_536
# See prctl(2). What keeps a container reads the name of the keeper: see `keep-alive.ts`.
PR_SET_NAME = 15
NAME_AT_REST, NAME_IN_CELL = b"fenced-rests", b"fenced-runs"


def begin_session(host, wakeup, settings):
    reason = reason_against()
    if reason is not None:
        host.send_last(b"n", reason.encode())
    keeper = Keeper(host, wakeup, {**json.loads(settings), "keeper": os.getpid(), "name": own_name()})
    try:
        keeper.serve()
    except HostGone:
        keeper.end_all()
        raise


def reason_against():
    """Why this Python cannot have a session."""
    if sys.platform != "linux":
        return "it runs on %s, and sessions need Linux" % sys.platform
    if not (3, 9) <= sys.version_info[:2] <= (3, 14):
        return "it is Python %d.%d" % sys.version_info[:2]
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        return "it runs without the global interpreter lock"
    return None


def own_name():
    try:
        with open("/proc/self/comm", "rb") as file:
            return file.read().rstrip(b"\n")
    except OSError:
        return b"python3"


def name_process(name):
    if prctl is not None:
        prctl(PR_SET_NAME, name)


class Keeper:
    def __init__(self, host, wakeup, settings):
        self.host, self.wakeup, self.settings = host, wakeup, settings
        self.branch = None
        self.cell = None
        # What earlier cells have started: some of it may have ended.
        self.background = set()
        self.has_lost_helper = False
        self.oom_kills = count_oom_kills()
        self.count = 0
        self.late, self.late_bytes = bytearray(), 0
        self.end_at = None
        self.checkpoints = Checkpoints(self, self.settings)
        name_process(NAME_AT_REST)

    def serve(self):
        self.fork_branch()
        # What came with the order to begin.
        self.obey_all()
        while True:
            self.reap()
            self.advance()
            self.handle(self.ready())

    def descriptors(self):
        return {*self.host.descriptors(), *self.wakeup, *(self.branch.descriptors() if self.branch else ()), *self.checkpoints.descriptors()}

    def fork_branch(self, memory=None):
        """Forks the keeper, which has no variables: an empty session, or a session that reads them."""
        control, streams = [end.detach() for end in _socket.socketpair()], open_streams()
        pid = os.fork()
        if pid == 0:
            close_all({*self.descriptors(), control[0], *(near for near, _ in streams)})
            begin_branch(control[1], [far for _, far in streams], self.settings, memory)
        for _, far in (control, *streams):
            os.close(far)
        self.take_over(Branch(pid, control[0], [near for near, _ in streams]))

    def take_over(self, branch):
        self.branch = branch
        self.host.send(b"j", as_json({"branch": 1, "pid": branch.pid}))

    def reap(self):
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                if self.branch is not None and pid == self.branch.pid:
                    self.branch_died(-os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))
                elif pid in inherited:
                    # The helper of the network.
                    inherited.discard(pid)
                    self.has_lost_helper = True
                else:
                    self.checkpoints.died(pid)
        except ChildProcessError:
            pass

    def branch_died(self, status):
        branch, cell = self.branch, self.cell
        for fd, size in branch.waiting_bytes().items():
            branch.read(fd, size, self.deliver)
        branch.close()
        self.branch = self.cell = None
        name_process(NAME_AT_REST)
        is_oom = status == -_signal.SIGKILL and cell is not None and count_oom_kills() != cell.oom_kills
        self.checkpoints.branch_died()
        if not self.checkpoints.all or self.end_at is not None:
            # Otherwise the checkpoint that takes its place knows which of them continue.
            end_processes(self.running(), self.checkpoints.pids())
        if self.end_at is not None:
            self.checkpoints.end()
            self.host.send_last(b"z", as_json({"status": status}))
        self.host.send(b"z", as_json({"status": status, "oom": is_oom, "cell": cell is not None}))

    def advance(self):
        """What is due by now, and the end of a cell once its output has been passed on."""
        now = time.monotonic()
        self.checkpoints.advance(now)
        if self.end_at is not None and now >= self.end_at and self.branch is not None:
            signal_each([self.branch.pid], _signal.SIGKILL)
        if self.cell is not None:
            self.cell.advance(now)

    def running(self):
        """The running copy, if it is there."""
        return {self.branch.pid} if self.branch else set()

    def processes_of_cells(self):
        return processes_of_cells(self.running(), self.checkpoints.pids())

    def kill_branch(self):
        signal_each(self.running(), _signal.SIGKILL)

    def end_branch(self):
        """Kills the running copy. The processes that it started are ours then."""
        self.kill_branch()
        branch, self.branch = self.branch, None
        if branch is None:
            return
        os.waitpid(branch.pid, 0)
        branch.close()

    def end_all(self):
        self.end_branch()
        self.checkpoints.end()
        end_processes(set(), set())

    def ready(self):
        poll = select.poll()
        poll.register(self.host.source, select.POLLIN)
        poll.register(self.wakeup[0], select.POLLIN)
        branch = self.branch
        if self.host.outbox:
            # Meanwhile the cell waits in its own `write`.
            poll.register(self.host.sink, select.POLLOUT)
        elif branch is not None:
            for fd, events in branch.awaited().items():
                poll.register(fd, events)
            if not branch.is_silent:
                poll.register(branch.control.source, select.POLLIN | (select.POLLOUT if branch.control.outbox else 0))
        made = self.checkpoints.made
        if made is not None and "copy" in self.checkpoints.due:
            poll.register(made.control.fd, select.POLLIN)
        times = [self.end_at, self.checkpoints.due_at()] + ([] if self.cell is None else [self.cell.last_at, self.cell.kill_at])
        times += [branch.rests_until] if branch is not None and branch.resting is not None and not self.host.outbox else []
        times = [each for each in times if each is not None]
        timeout = max(0, (min(times) - time.monotonic()) * 1000) if times else None
        return [fd for fd, _ in poll.poll(timeout)]

    def handle(self, fds):
        branch = self.branch
        if branch is not None and branch.resting is not None and not self.host.outbox:
            branch.end_rest(self.deliver)
        for fd in fds:
            if fd == self.wakeup[0]:
                os.read(fd, CHUNK)
            elif fd == self.host.sink:
                self.host.flush()
            elif fd == self.host.source:
                self.host.receive()
                self.obey_all()
            elif self.checkpoints.is_due(fd):
                self.checkpoints.hear_copy()
            elif branch is None or branch is not self.branch:
                pass
            elif fd == branch.control.source:
                self.hear()
            elif fd in branch.streams:
                if fd == branch.tools:
                    branch.answer()
                if not self.host.outbox:
                    branch.read_some(fd, self.deliver)

    def obey_all(self):
        frame = self.host.next_frame()
        while frame is not None:
            self.obey(*frame)
            frame = self.host.next_frame()

    def obey(self, kind, body):
        """An order of the host."""
        if kind == b"c" and self.cell is None:
            self.begin_cell(body)
        elif kind == b"a" and self.branch is not None:
            self.branch.untaken.append(body)
            self.branch.answer()
        elif kind == b"i" and self.branch is not None:
            self.branch.control.send(b"i", body)
        elif kind == b"k":
            self.host.send(b"k")
            if self.cell is not None and self.cell.report is None:
                self.cell.interrupt_within(int(body) / 1000)
        elif kind == b"q" and self.branch is not None:
            self.branch.control.send(b"q")
        elif kind in b"ygru":
            self.checkpoints.obey(kind, json.loads(body))
        elif kind == b"e":
            self.end_at = time.monotonic() + int(body) / 1000
            if self.branch is not None:
                signal_each([self.branch.pid], _signal.SIGCONT)
                self.branch.control.send(b"e")

    def begin_cell(self, body):
        self.checkpoints.keep_files_again(json.loads(body[: body.index(b"\0")]).get("keep"))
        if self.branch is None:
            self.fork_branch()
        self.tell_late_output()
        self.count += 1
        self.branch.is_empty = False
        self.cell = Cell(self)
        name_process(NAME_IN_CELL)
        # What its threads have called until now was not called by this cell.
        self.host.send(b"s")
        self.branch.control.send(b"c", body)

    def tell_late_output(self):
        """What came after the end of the last cell."""
        for fd, size in self.branch.waiting_bytes().items():
            while size > 0 and fd in self.branch.streams:
                size -= self.branch.read(fd, size, self.deliver) or size
        if self.late_bytes:
            output = self.late.decode("utf-8", "replace") + ("…" if self.late_bytes > MOST_LATE else "")
            self.host.send(b"l", as_json({"cell": self.count, "bytes": self.late_bytes, "output": output}))
            self.late, self.late_bytes = bytearray(), 0

    def hear(self):
        """What the running copy says. A copy that sends anything other than its frames is ended."""
        branch = self.branch
        try:
            branch.control.flush()
            branch.control.receive()
            while True:
                size = int.from_bytes(branch.control.inbox[1:5], "big")
                kind = bytes(branch.control.inbox[:1])
                if kind and size > LARGEST_FRAMES.get(kind, -1):
                    raise HostGone
                frame = branch.control.next_frame()
                if frame is None:
                    return
                self.take(*frame)
        except HostGone:
            branch.is_silent = True
            signal_each([branch.pid], _signal.SIGKILL)

    def take(self, kind, body):
        branch = self.branch
        if kind == b"x" and self.cell is not None and self.cell.report is None:
            self.cell.report, self.cell.due = body, branch.waiting_bytes()
            branch.resting = None
            self.host.send(b"d")
        elif kind == b"w":
            branch.control.send(b"w")
        elif kind == b"y":
            self.checkpoints.take_lacks(body)
        elif kind == b"q":
            self.host.send(b"q", body)
        elif self.cell is not None:
            for fd, size in branch.waiting_bytes().items():
                branch.read(fd, size, self.deliver)
            self.host.send(kind, body)

    def deliver(self, kind, chunk):
        """Takes what the running copy has written."""
        if self.cell is not None or kind == b"t":
            self.host.send(kind, chunk)
        else:
            self.late += chunk[: MOST_LATE - len(self.late)]
            self.late_bytes += len(chunk)
