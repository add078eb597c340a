"""The running copy's side of its control socket, and the signal that interrupts a cell."""


class Interrupts:
    """SIGINT reaches the code of a cell only. While it is held, it is noted, and raised when it is released."""

    def __init__(self):
        self.depth = 0
        self.is_pending = False
        self.handler = _signal.default_int_handler
        self.main = _thread.get_ident()

    def hold(self):
        if _thread.get_ident() != self.main:
            return
        if self.depth == 0:
            handler = _signal.signal(_signal.SIGINT, self.note)
            # A handler that was not set from Python is `None`.
            self.handler = _signal.default_int_handler if handler is None else handler
        self.depth += 1

    def release(self):
        if _thread.get_ident() != self.main:
            return
        self.depth -= 1
        if self.depth > 0:
            return
        _signal.signal(_signal.SIGINT, self.handler)
        if self.is_pending:
            self.is_pending = False
            if callable(self.handler):
                self.handler(_signal.SIGINT, None)

    def forget(self):
        """A signal that came after the end of its cell is for no other cell."""
        self.is_pending = False

    def note(self, *_):
        self.is_pending = True

    def __enter__(self):
        self.hold()

    def __exit__(self, *_):
        self.release()


class Line(Host):
    """Frames to and from the keeper. Threads of a cell may send; only the main thread receives."""

    def __init__(self, fd, interrupts):
        super().__init__(fd, fd)
        os.set_blocking(fd, True)
        self.interrupts = interrupts
        # The descriptor for calls of tools, and for their answers.
        self.tools = None
        self.renew()

    def renew(self):
        """Called when this process has become the running copy."""
        self.sending = _thread.allocate_lock()
        self.owner = os.getpid()
        # Descriptors that came with frames.
        self.received = []
        self.interrupts.main = _thread.get_ident()

    @property
    def is_ours(self):
        """Whether this process is the running copy, and not a fork that a cell has made."""
        return os.getpid() == self.owner

    def receive(self):
        peer = _socket.socket(fileno=self.source)
        try:
            chunk, extra, _, _ = peer.recvmsg(CHUNK, _socket.CMSG_SPACE(4 * MOST_DESCRIPTORS), _socket.MSG_CMSG_CLOEXEC)
        except ConnectionError:
            chunk, extra = b"", []
        finally:
            peer.detach()
        self.received += descriptors_in(extra)
        if not chunk:
            raise HostGone
        self.inbox += chunk

    def send(self, kind, body=b""):
        with self.interrupts, self.sending:
            super().send(kind, body)
            while self.outbox:
                poll = select.poll()
                poll.register(self.sink, select.POLLOUT)
                poll.poll()
                self.flush()

    def wait_for(self, kind):
        """Returns the body of the next frame of a kind. A cell can be interrupted while it waits."""
        while True:
            with self.interrupts:
                frame = self.next_frame()
            if frame is None:
                poll = select.poll()
                poll.register(self.source, select.POLLIN)
                poll.poll()
                with self.interrupts:
                    self.receive()
            elif frame[0] == kind:
                return frame[1]


def as_json(value):
    return json.dumps(value, separators=(",", ":")).encode()
