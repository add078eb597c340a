"""
The keeper of a session: a resident Python that runs no programs. It forks the running copy, in which cells run, and stands between
it and the host.

Frames of the runner, with other letters once the host has sent `b`:

    from the host   b  settings (JSON), source of the session     begin
                    c  order (JSON), NUL, code                    run a cell
                    a  bytes                                      for the module `tools`
                    i  JSON: a line, or null                      the answer to a question
                    k  milliseconds                               interrupt the cell; SIGKILL after that time
                    e  milliseconds                               end in order; SIGKILL after that time
    to the host     j  JSON {branch, pid}                         a running copy is there
                    o, e, t  bytes                                what a cell wrote to stdout, to stderr and to its tools
                    l  JSON {cell, bytes, output}                 what came after the end of that cell
                    v  JSON {kind, data, metadata, transient}     a result
                    i  JSON {prompt, secret}                      a question
                    k                                             it was asked to interrupt the cell
                    d                                             the code has ended, and the rest of its output follows
                    x  JSON, NUL, JSON                            end of a cell: as it says itself, and as the keeper does
                    z  JSON {status, oom, cell}                   the running copy has died

The frames between the keeper and the running copy have the same letters. `w` is answered when all that was printed before has been
passed on.
"""

import _socket
import fcntl
import termios

# What a running copy may send, and how long it may be in bytes.
LARGEST_FRAMES = {b"v": 33 * 2**20, b"w": 0, b"i": 2**20, b"x": 2**20}
# How much is kept of what comes after the end of a cell, in bytes.
MOST_LATE = 65_536
# Part of the time for an interrupt after which the last one is sent: a program may wait again where it handles the first.
PART_BEFORE_LAST = 0.75
MOST_COMMANDS, LONGEST_COMMAND = 20, 200

def begin_session(host, wakeup, settings):
    keeper = Keeper(host, wakeup, {**json.loads(settings), "keeper": os.getpid()})
    try:
        keeper.serve()
    except HostGone:
        keeper.end_all()
        raise


class Branch:
    """A running copy: its process, its control socket, and the read ends of its streams by the letter of their frames."""

    def __init__(self, pid, control, streams, tools):
        self.pid = pid
        self.control = Host(control, control)
        self.streams = streams
        self.tools = tools
        self.untaken = []
        self.is_silent = False

    def descriptors(self):
        return {self.control.source, *self.streams}

    def answer(self):
        """Passes on what came for its tools, as far as it takes it."""
        try:
            while self.untaken:
                self.untaken[0] = self.untaken[0][os.write(self.tools, self.untaken[0]) :]
                if not self.untaken[0]:
                    del self.untaken[0]
        except BlockingIOError:
            pass
        except OSError:
            self.untaken.clear()

    def waiting_bytes(self):
        """How much it has written that was not read yet, by stream. What comes later is not of what ends now."""
        return {fd: waiting_in(fd) for fd in self.streams}

    def close(self):
        for fd in self.descriptors():
            os.close(fd)
        self.streams = {}


class Cell:
    """The cell that runs."""

    def __init__(self, background):
        # Processes of earlier cells: neither an interrupt nor the end of this cell is for them.
        self.background = background
        self.oom_kills = count_oom_kills()
        self.last_at = self.kill_at = None
        # Once it has ended: its report, and how much of its output is still to be passed on.
        self.report = None
        self.due = {}


class Keeper:
    def __init__(self, host, wakeup, settings):
        self.host, self.wakeup, self.settings = host, wakeup, settings
        self.branch = None
        self.cell = None
        self.count = 0
        self.late, self.late_bytes = bytearray(), 0
        self.end_at = None

    def serve(self):
        self.fork_branch()
        # What came with the order to begin.
        self.obey_all()
        while True:
            self.reap()
            self.advance()
            self.handle(self.ready())

    def descriptors(self):
        return {*self.host.descriptors(), *self.wakeup, *(self.branch.descriptors() if self.branch else ())}

    def fork_branch(self):
        """Forks the keeper, which has no variables: an empty session."""
        pairs = [[end.detach() for end in _socket.socketpair()] for _ in range(2)]
        pipes = [os.pipe() for _ in range(2)]
        pid = os.fork()
        if pid == 0:
            for fd in {*self.descriptors(), *(near for near, _ in (*pairs, *pipes))}:
                os.close(fd)
            begin_branch(pairs[0][1], [far for _, far in pipes] + [pairs[1][1]], self.settings)
        for _, far in (*pairs, *pipes):
            os.close(far)
        (control, _), (tools, _) = pairs
        (out, _), (err, _) = pipes
        for fd in (tools, out, err):
            os.set_blocking(fd, False)
        self.take_over(Branch(pid, control, {out: b"o", err: b"e", tools: b"t"}, tools))

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
        except ChildProcessError:
            pass

    def branch_died(self, status):
        branch, cell, self.branch, self.cell = self.branch, self.cell, None, None
        self.drain(branch, {fd: CHUNK * 16 for fd in branch.streams})
        branch.close()
        is_oom = status == -_signal.SIGKILL and cell is not None and count_oom_kills() != cell.oom_kills
        self.end_processes(set())
        if self.end_at is not None:
            self.host.send_last(b"z", as_json({"status": status}))
        self.host.send(b"z", as_json({"status": status, "oom": is_oom, "cell": cell is not None}))

    def advance(self):
        """What is due by now, and the end of a cell once its output has been passed on."""
        cell, now = self.cell, time.monotonic()
        if self.end_at is not None and now >= self.end_at and self.branch is not None:
            signal_each([self.branch.pid], _signal.SIGKILL)
        if cell is None:
            return
        if cell.report is not None:
            self.drain(self.branch, cell.due)
            if not self.host.outbox and not any(cell.due.values()):
                self.end_cell()
        elif cell.kill_at is not None and now >= cell.kill_at:
            signal_each({self.branch.pid, *self.processes_of_cell()}, _signal.SIGKILL)
            cell.kill_at = now + 0.05
        elif cell.last_at is not None and now >= cell.last_at:
            cell.last_at = None
            self.interrupt()

    def end_cell(self):
        cell, self.cell = self.cell, None
        running = self.processes_of_cell(cell)
        if cell.kill_at is not None:
            # It was interrupted, and leaves nothing.
            signal_each(running, _signal.SIGKILL)
            running = set()
        commands = [command_of(pid) for pid in sorted(running)[:MOST_COMMANDS]]
        own = {"running": commands, "oom": count_oom_kills() != cell.oom_kills}
        self.host.send(b"x", cell.report + b"\0" + as_json(own))

    def processes_of_cell(self, cell=None):
        """What the cell has started and still runs."""
        return self.processes() - (cell or self.cell).background

    def processes(self):
        """All that cells have started and still run: descendants of the running copy, and orphans that are our children."""
        branch = {self.branch.pid} if self.branch else set()
        first = own_children() - inherited - given_up - branch
        if not first and (not branch or not has_children(self.branch.pid)):
            return set()
        found = set(first)
        for pid in (*first, *branch):
            found.update(descendants(pid))
        return found - branch

    def interrupt(self):
        signal_each({self.branch.pid, *self.processes_of_cell()}, _signal.SIGCONT)
        signal_each({self.branch.pid, *self.processes_of_cell()}, _signal.SIGINT)

    def end_processes(self, kept):
        """Ends all that cells have started."""
        give_up_at = time.monotonic() + KILL_SECONDS
        while time.monotonic() < give_up_at:
            left = self.processes() - kept
            if not left or are_out_of_reach(left):
                return
            signal_each(left, _signal.SIGKILL)
            time.sleep(0.002)
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                pass

    def end_all(self):
        if self.branch is not None:
            pid, self.branch = self.branch.pid, None
            signal_each([pid], _signal.SIGKILL)
        self.end_processes(set())

    def ready(self):
        poll = select.poll()
        poll.register(self.host.source, select.POLLIN)
        poll.register(self.wakeup[0], select.POLLIN)
        branch = self.branch
        if self.host.outbox:
            # Meanwhile the cell waits in its own `write`.
            poll.register(self.host.sink, select.POLLOUT)
        elif branch is not None:
            for fd, kind in branch.streams.items():
                if kind != b"t" or len(branch.untaken) < MOST_UNTAKEN:
                    poll.register(fd, select.POLLIN | (select.POLLOUT if kind == b"t" and branch.untaken else 0))
            if not branch.is_silent:
                poll.register(branch.control.source, select.POLLIN | (select.POLLOUT if branch.control.outbox else 0))
        times = [self.end_at] if self.cell is None else [self.end_at, self.cell.last_at, self.cell.kill_at]
        times = [each for each in times if each is not None]
        timeout = max(0, (min(times) - time.monotonic()) * 1000) if times else None
        return [fd for fd, _ in poll.poll(timeout)]

    def handle(self, fds):
        branch = self.branch
        for fd in fds:
            if fd == self.wakeup[0]:
                os.read(fd, CHUNK)
            elif fd == self.host.sink:
                self.host.flush()
            elif fd == self.host.source:
                self.host.receive()
                self.obey_all()
            elif branch is self.branch and fd == branch.control.source:
                self.hear()
            elif branch is self.branch and fd in branch.streams:
                if fd == branch.tools:
                    branch.answer()
                if not self.host.outbox:
                    self.pass_on(branch, fd, CHUNK)

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
            if self.cell is not None:
                grace = int(body) / 1000
                self.cell.last_at = time.monotonic() + PART_BEFORE_LAST * grace
                self.cell.kill_at = time.monotonic() + grace
                self.interrupt()
        elif kind == b"e":
            self.end_at = time.monotonic() + int(body) / 1000
            if self.branch is not None:
                signal_each([self.branch.pid], _signal.SIGCONT)
                self.branch.control.send(b"e")

    def begin_cell(self, body):
        if self.branch is None:
            self.fork_branch()
        for fd in list(self.branch.streams):
            self.pass_on(self.branch, fd, waiting_in(fd))
        if self.late_bytes:
            output = self.late.decode("utf-8", "replace")
            self.host.send(b"l", as_json({"cell": self.count, "bytes": self.late_bytes, "output": output}))
            self.late, self.late_bytes = bytearray(), 0
        self.count += 1
        self.cell = Cell(self.processes())
        self.branch.control.send(b"c", body)

    def hear(self):
        """What the running copy says. One that sends anything else than frames of its own is ended."""
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
            self.host.send(b"d")
        elif kind == b"w":
            branch.control.send(b"w")
        elif self.cell is not None:
            for fd, size in branch.waiting_bytes().items():
                self.pass_on(branch, fd, size)
            self.host.send(kind, body)

    def drain(self, branch, due):
        """Passes on as much of each stream as is due."""
        for fd, size in list(due.items()):
            while size > 0 and fd in branch.streams and not self.host.outbox:
                taken = self.pass_on(branch, fd, size)
                size = size - taken if taken else 0
            due[fd] = size if fd in branch.streams else 0

    def pass_on(self, branch, fd, size):
        """Reads from a stream of the running copy once. Returns the number of bytes."""
        try:
            chunk = os.read(fd, min(size, CHUNK)) if size else b""
        except OSError:
            return 0
        if not chunk:
            if size:
                os.close(fd)
                del branch.streams[fd]
        elif self.cell is not None or branch.streams[fd] == b"t":
            self.host.send(branch.streams[fd], chunk)
        else:
            self.late += chunk[: MOST_LATE - len(self.late)]
            self.late_bytes += len(chunk)
        return len(chunk)


def waiting_in(fd):
    """How much can be read."""
    size = bytearray(4)
    try:
        fcntl.ioctl(fd, termios.FIONREAD, size)
    except OSError:
        return 0
    return int.from_bytes(size, sys.byteorder)


def has_children(pid):
    try:
        for task in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/children" % (pid, task), "rb") as file:
                if file.read(1):
                    return True
        return False
    except OSError:
        # Kernels without this file.
        return True


def command_of(pid):
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as file:
            command = file.read(4 * LONGEST_COMMAND).rstrip(b"\0").replace(b"\0", b" ").decode("utf-8", "replace")
        return command[:LONGEST_COMMAND] or "process %d" % pid
    except OSError:
        return "process %d" % pid
