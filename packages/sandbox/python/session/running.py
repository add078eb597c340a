"""What the keeper knows of the running copy and of its cell."""

import _socket
import fcntl
import termios

# How long a stream rests that little was read from, in seconds, and how much is not little, in bytes.
REST_SECONDS, MUCH = 0.001, CHUNK // 4
# Part of the time for an interrupt after which the last one is sent: a program may wait again where it handles the first.
PART_BEFORE_LAST = 0.75
# How much longer the time until SIGKILL becomes while the host does not read, in seconds. The host waits 4 s for what follows that time.
PATIENCE_SECONDS = 3


def open_streams():
    """The near and the far ends of stdout, stderr and the stream of the module `tools`."""
    tools = [end.detach() for end in _socket.socketpair()]
    return [os.pipe(), os.pipe(), tools]


class Branch:
    """A running copy: its process, its control socket, and the near ends of `open_streams` by the letter of their frames."""

    def __init__(self, pid, control, ends):
        self.pid = pid
        self.control = Host(control, control)
        self.streams = dict(zip(ends, (b"o", b"e", b"t")))
        self.tools = ends[2]
        for fd in ends:
            os.set_blocking(fd, False)
        self.untaken = []
        # Each line that a program writes would wake the keeper. After the first one its stream rests, until the time is over or something
        # else is written, which came later.
        self.resting, self.rests_until = None, 0
        self.is_silent = False
        # Whether no cell has run in it.
        self.is_empty = True

    def descriptors(self):
        return {self.control.source, *self.streams}

    def awaited(self):
        """What to wait for at each stream. A program that calls tools without reading the answers waits in its own `write`."""
        events = {fd: select.POLLIN for fd in self.streams if fd != self.resting}
        if self.tools in events:
            events[self.tools] = select.POLLIN if len(self.untaken) < MOST_UNTAKEN else 0
            events[self.tools] |= select.POLLOUT if self.untaken else 0
        return events

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

    def read(self, fd, size, deliver):
        """Reads from a stream once. Returns the number of bytes."""
        try:
            chunk = os.read(fd, min(size, CHUNK)) if size else b""
        except OSError:
            return 0
        if chunk:
            deliver(self.streams[fd], chunk)
        elif size:
            os.close(fd)
            del self.streams[fd]
        return len(chunk)

    def read_some(self, fd, deliver):
        """Reads from a stream, which may rest afterwards."""
        size = self.read(fd, CHUNK, deliver)
        if 0 < size < MUCH and fd != self.tools:
            self.resting, self.rests_until = fd, time.monotonic() + REST_SECONDS

    def end_rest(self, deliver):
        fd, self.resting = self.resting, None
        if fd in self.streams:
            self.read_some(fd, deliver)

    def close(self):
        for fd in self.descriptors():
            os.close(fd)
        self.streams = {}


class Cell:
    """The cell that runs."""

    def __init__(self, keeper):
        self.keeper = keeper
        # Processes of earlier cells: neither an interrupt nor the end of this cell is for them.
        self.background = keeper.background
        self.oom_kills = keeper.oom_kills
        self.last_at = self.kill_at = None
        # Until then, the cell is not killed while the host does not read its output.
        self.patient_until = None
        # Once it has ended: its report, and how much of its output is still to be passed on.
        self.report = None
        self.due = {}

    def processes(self):
        """What the cell has started and still runs."""
        return self.keeper.processes_of_cells() - self.background

    def signal(self, number):
        signal_each({self.keeper.branch.pid, *self.processes()}, number)

    def interrupt(self):
        self.signal(_signal.SIGCONT)
        self.signal(_signal.SIGINT)

    def interrupt_within(self, grace):
        """@param grace - time until SIGKILL, in seconds."""
        self.last_at = time.monotonic() + PART_BEFORE_LAST * grace
        self.kill_at = time.monotonic() + grace
        self.patient_until = self.kill_at + PATIENCE_SECONDS
        self.interrupt()

    def advance(self, now):
        """What is due by now, and its end once its output has been passed on."""
        if self.report is not None:
            self.drain()
            if not any(self.due.values()):
                self.end()
        elif self.kill_at is not None and now >= self.kill_at:
            if not self.may_have_ended(now):
                self.signal(_signal.SIGKILL)
            self.kill_at = now + 0.05
        elif self.last_at is not None and now >= self.last_at:
            self.last_at = None
            self.interrupt()

    def may_have_ended(self, now):
        """Whether its report has arrived just now, or can be waiting behind output that the host has not read."""
        keeper = self.keeper
        if not keeper.branch.is_silent and waiting_in(keeper.branch.control.source):
            keeper.hear()
        return self.report is not None or (bool(keeper.host.outbox) and now < self.patient_until)

    def drain(self):
        """Passes on the rest of its output, as far as the host takes it."""
        keeper = self.keeper
        for fd, size in self.due.items():
            if not keeper.host.outbox:
                taken = keeper.branch.read(fd, size, keeper.deliver)
                self.due[fd] = size - taken if taken else 0

    def end(self):
        keeper = self.keeper
        keeper.cell = None
        name_process(NAME_AT_REST)
        keeper.background = keeper.processes_of_cells()
        running = keeper.background - self.background
        if self.kill_at is not None:
            # It was interrupted, and leaves nothing.
            signal_each(running, _signal.SIGKILL)
            running = set()
        keeper.oom_kills = count_oom_kills()
        own = {"running": commands_of(running), "oom": keeper.oom_kills != self.oom_kills, "helper": keeper.has_lost_helper}
        keeper.has_lost_helper = False
        keeper.host.send(b"x", self.report + b"\0" + as_json(own))


def close_all(descriptors):
    for fd in descriptors:
        try:
            os.close(fd)
        except OSError:
            pass


def waiting_in(fd):
    """How much can be read."""
    size = bytearray(4)
    try:
        fcntl.ioctl(fd, termios.FIONREAD, size)
    except OSError:
        return 0
    return int.from_bytes(size, sys.byteorder)
