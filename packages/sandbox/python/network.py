"""The helper of a sandbox whose network is a list.

It listens on the loopback of the sandbox and passes connections on, as channels of one stream to the host, which decides about each. It
knows no list, and who speaks in its stead has the rights of a program that connects to it. See src/network/wire.ts.

Arguments: the port; the descriptor of the stream, or "-" for stdin and stdout; and a command, which takes the place of this process when
the helper, a process of its own then, listens.

It is all of one thread and knows no module of the library, so that it starts at once and needs as little as it can.
"""

import _signal
import _socket
import os
import select
import sys

GREETING = b"fenced-network 1\n"
CREDIT = 256 * 1024
LARGEST = 64 * 1024
HEADER = 9
# How much may wait for the host before less is read from programs.
MOST_WAITING = 1024 * 1024
MOST_CHANNELS = 4096
# See prctl(2).
PR_SET_DUMPABLE = 4
# struct linger: on, and no time.
NO_LINGER = (1).to_bytes(4, sys.byteorder) + bytes(4)


def listen(port):
    listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    listener.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(512)
    listener.setblocking(False)
    return listener


def with_socket(fd, act):
    socket = _socket.socket(fileno=fd)
    try:
        act(socket)
    except OSError:
        pass
    socket.detach()


class Channel:
    def __init__(self, number, fd):
        self.number = number
        self.fd = fd
        self.credit = CREDIT
        self.window = CREDIT
        self.waiting = bytearray()
        # Whether the program, and the host, have sent all.
        self.program_ended = False
        self.host_ended = False
        self.is_shut = False
        # Whether the host takes nothing more.
        self.is_left = False


class Helper:
    def __init__(self, listener, from_host, to_host):
        self.listener = listener
        self.from_host = from_host
        self.to_host = to_host
        self.received = bytearray()
        self.unsent = bytearray(GREETING)
        self.channels = {}
        self.by_fd = {}
        self.count = 0
        self.poll = select.poll()
        for fd in {from_host, to_host}:
            os.set_blocking(fd, False)

    def run(self):
        # The events to wait for, per descriptor. Descriptors without events are left out: poll would report their hang-up.
        asked = {}
        while True:
            wanted = self.wanted()
            for fd in [fd for fd in asked if fd not in wanted]:
                self.poll.unregister(fd)
                del asked[fd]
            for fd, events in wanted.items():
                if asked.get(fd) != events:
                    self.poll.register(fd, events)
                    asked[fd] = events
            for fd, events in self.poll.poll():
                if fd in self.by_fd:
                    self.handle(self.by_fd[fd], events, asked)
                    continue
                if fd == self.listener.fileno():
                    self.accept()
                    continue
                if fd == self.to_host and events & (select.POLLOUT | select.POLLERR | select.POLLHUP):
                    self.flush()
                if fd == self.from_host and events & ~select.POLLOUT:
                    self.receive(asked)

    def wanted(self):
        wanted = {self.from_host: select.POLLIN}
        if self.unsent:
            wanted[self.to_host] = wanted.get(self.to_host, 0) | select.POLLOUT
        if len(self.channels) < MOST_CHANNELS:
            wanted[self.listener.fileno()] = select.POLLIN
        has_room = len(self.unsent) < MOST_WAITING
        for channel in self.channels.values():
            events = 0
            if not channel.program_ended and (channel.is_left or has_room and channel.credit > 0):
                events |= select.POLLIN
            if channel.waiting:
                events |= select.POLLOUT
            if events:
                wanted[channel.fd] = events
        return wanted

    def send(self, kind, number, content=b""):
        self.unsent += kind + number.to_bytes(4, "big") + len(content).to_bytes(4, "big") + content

    def flush(self):
        try:
            sent = os.write(self.to_host, bytes(self.unsent[: 4 * LARGEST]))
        except BlockingIOError:
            return
        except OSError:
            os._exit(0)
        del self.unsent[:sent]

    def accept(self):
        try:
            fd, _ = self.listener._accept()
        except OSError:
            return
        os.set_blocking(fd, False)
        with_socket(fd, lambda socket: socket.setsockopt(_socket.IPPROTO_TCP, _socket.TCP_NODELAY, 1))
        self.count += 1
        channel = Channel(self.count, fd)
        self.channels[channel.number] = channel
        self.by_fd[fd] = channel
        self.send(b"O", channel.number)

    def handle(self, channel, events, asked):
        if events & select.POLLOUT:
            self.write(channel)
        if events & ~select.POLLOUT and channel.fd in self.by_fd:
            self.read(channel)
        self.forget_if_over(channel, asked)

    def read(self, channel):
        if channel.program_ended:
            self.reset(channel)
            return
        if not (channel.credit or channel.is_left):
            return
        try:
            data = os.read(channel.fd, LARGEST if channel.is_left else min(channel.credit, LARGEST))
        except BlockingIOError:
            return
        except OSError:
            self.reset(channel)
            return
        if not data:
            channel.program_ended = True
        if channel.is_left:
            return
        channel.credit -= len(data)
        self.send(b"D" if data else b"E", channel.number, data)

    def write(self, channel):
        try:
            sent = os.write(channel.fd, channel.waiting)
        except BlockingIOError:
            return
        except OSError:
            self.reset(channel)
            return
        del channel.waiting[:sent]
        channel.window += sent
        self.send(b"C", channel.number, sent.to_bytes(4, "big"))

    def receive(self, asked):
        try:
            data = os.read(self.from_host, 4 * LARGEST)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            os._exit(0)
        self.received += data
        at = 0
        while len(self.received) >= at + HEADER:
            number = int.from_bytes(self.received[at + 1 : at + 5], "big")
            end = at + HEADER + int.from_bytes(self.received[at + 5 : at + HEADER], "big")
            if len(self.received) < end:
                break
            self.take(self.received[at : at + 1], number, self.received[at + HEADER : end], asked)
            at = end
        del self.received[:at]

    def take(self, kind, number, content, asked):
        channel = self.channels.get(number)
        if channel is None:
            return
        if kind == b"D":
            channel.window -= len(content)
            channel.waiting += content
            self.write(channel)
        elif kind == b"E":
            channel.host_ended = True
        elif kind == b"R" and channel.host_ended:
            # The program has all of it, and may still have to read it: it ends the connection.
            channel.is_left = True
        elif kind == b"R":
            # Its program must not take it for the end of what it reads.
            with_socket(channel.fd, lambda socket: socket.setsockopt(_socket.SOL_SOCKET, _socket.SO_LINGER, NO_LINGER))
            self.drop(channel)
        elif kind == b"C":
            channel.credit += int.from_bytes(content, "big")
        self.forget_if_over(channel, asked)

    def reset(self, channel):
        if channel.number in self.channels:
            self.send(b"R", channel.number)
            self.drop(channel)

    def drop(self, channel):
        del self.channels[channel.number]

    def forget_if_over(self, channel, asked):
        if channel.number in self.channels:
            if channel.host_ended and not channel.waiting and not channel.is_shut:
                channel.is_shut = True
                with_socket(channel.fd, lambda socket: socket.shutdown(_socket.SHUT_WR))
            if not (channel.is_shut and channel.program_ended):
                return
            self.drop(channel)
        if self.by_fd.pop(channel.fd, None) is None:
            return
        if asked.pop(channel.fd, None) is not None:
            self.poll.unregister(channel.fd)
        os.close(channel.fd)


def give_way(command, variables):
    """Becomes the command, as if nothing had been before it."""
    for number in (_signal.SIGPIPE, _signal.SIGXFSZ):
        _signal.signal(number, _signal.SIG_DFL)
    try:
        os.execvpe(command[0], command, variables)
    except OSError as error:
        os.write(2, ("%s: %s\n" % (command[0], error.strerror)).encode())
        os._exit(127 if isinstance(error, FileNotFoundError) else 126)


def refuse_tracing():
    """
    Programs of the same user cannot read or write our memory and descriptors from now on, so they cannot run code here that
    outlives them (Linux). A Python without `ctypes` can be no resident Python: then this process ends with the program.
    """
    try:
        import ctypes
    except ImportError:
        return
    ctypes.pythonapi.prctl(PR_SET_DUMPABLE, 0)


def become_daemon():
    """Leaves the process group of the parent, closes its streams, and has no parent that waits for it."""
    refuse_tracing()
    os.setsid()
    if os.fork():
        os._exit(0)
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)


def main():
    port, stream, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    if not command:
        Helper(listen(port), 0, 1).run()
    with open("/proc/self/environ", "rb") as environ:
        # Not os.environ: the interpreter may have added to it.
        pairs = [pair.split(b"=", 1) for pair in environ.read().split(b"\0") if b"=" in pair]
    os.set_inheritable(int(stream), False)
    listener = listen(port)
    child = os.fork()
    if child == 0:
        become_daemon()
        Helper(listener, int(stream), int(stream)).run()
    os.waitpid(child, 0)
    give_way(command, dict(pairs))


main()
