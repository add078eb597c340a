"""A checkpoint: a copy of the running Python that sleeps until it is needed.

The running Python continues and the copy is the checkpoint, because a copy has no threads, no children and another process number.
Two forks make it a child of the keeper, so that a program that waits for all its children does not wait for checkpoints.
"""

# See prctl(2).
PR_GET_CHILD_SUBREAPER = 37
# Which process the kernel kills first when memory runs out, relative to the value at the start: old checkpoints, then the running Python.
OOM_RUNNING, OOM_NEWEST, OOM_OLD = 500, 0, 900
OOM_FILE = "/proc/self/oom_score_adj"
# The largest message of the control socket: 16 MiB.
MOST_BYTES = 2**24
MOST_DESCRIPTORS = 8
TIMERS = _signal.ITIMER_REAL, _signal.ITIMER_VIRTUAL, _signal.ITIMER_PROF


class Control:
    """One end of the socket between the keeper and a Python: frames like the host's, which may carry descriptors."""

    def __init__(self, fd):
        self.fd = fd

    def send(self, kind, body=b"", descriptors=()):
        frame = memoryview(kind + len(body).to_bytes(4, "big") + body)
        peer = _socket.socket(fileno=self.fd)
        try:
            extra = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, b"".join(fd.to_bytes(4, sys.byteorder) for fd in descriptors))]
            frame = frame[peer.sendmsg([frame], extra if descriptors else []) :]
            while frame:
                frame = frame[peer.send(frame) :]
        finally:
            peer.detach()

    def receive(self):
        """Returns a frame and its descriptors. `EOFError` when the other end is gone."""
        peer = _socket.socket(fileno=self.fd)
        try:
            descriptors = []
            header = self.read(peer, 5, descriptors)
            size = int.from_bytes(header[1:], "big")
            if size > MOST_BYTES:
                raise EOFError
            return header[:1], self.read(peer, size, descriptors), descriptors
        finally:
            peer.detach()

    def read(self, peer, size, descriptors):
        received = bytearray()
        while len(received) < size:
            chunk, extra, _, _ = peer.recvmsg(size - len(received), _socket.CMSG_SPACE(4 * MOST_DESCRIPTORS), _socket.MSG_CMSG_CLOEXEC)
            descriptors += descriptors_in(extra)
            if not chunk:
                raise EOFError
            received += chunk
        return bytes(received)


class Copying:
    """Makes checkpoints of the Python that it is in."""

    def __init__(self, control, keeper, ends):
        self.control = control
        self.keeper = keeper
        # The descriptors that lead to the keeper, and that a copy gets anew.
        self.ends = ends
        # Returns what a new Python gets beside the variables.
        self.state_beside = dict
        self.oom_at_start = read_oom()
        self.repairs = Repairs()
        self.written = WrittenPages()

    def make(self, end, namespace):
        """
        Makes a copy that takes its orders from the descriptor `end`. Returns what the copy lacks, in the running Python;
        in the copy it returns when the keeper wakes it, with `None`.
        """
        lacks = self.repairs.prepare(namespace)
        state = State((self.control.fd, end), self.ends)
        lacks.update(state.lacks())
        self.written.find()
        blocked = _signal.pthread_sigmask(_signal.SIG_BLOCK, [_signal.SIGCHLD])
        try:
            middle, failure = fork_in_silence(), None
        except OSError as error:
            middle, failure = -1, error
        if middle == 0:
            _signal.pthread_sigmask(_signal.SIG_SETMASK, blocked)
            self.become_copy(state, end)
            return None
        if middle > 0:
            forget_child(middle)
        _signal.pthread_sigmask(_signal.SIG_SETMASK, blocked)
        os.close(end)
        state.set_reaper_back()
        lacks.update(self.repairs.lacks_after_fork())
        self.repairs.set_back()
        if failure is not None:
            raise failure
        return lacks

    def become_copy(self, state, end):
        """In the first child, which is gone at once. Its child sleeps until its turn."""
        middle = os.getpid()
        pid = ctypes.pythonapi.fork()
        if pid != 0:
            os._exit(0 if pid > 0 else 1)
        try:
            while os.getppid() == middle:
                time.sleep(0.0002)
            prctl(PR_SET_PDEATHSIG, _signal.SIGKILL)
            if os.getppid() != self.keeper:
                os._exit(1)
            os.setsid()
            write_oom(self.oom_at_start + OOM_NEWEST)
            # Orders come in where they come in for the Python that this is a copy of.
            os.dup2(end, self.control.fd, False)
            os.close(end)
            state.launder()
            self.control.send(b"j", str(os.getpid()).encode())
            self.sleep(state)
        except BaseException:
            # The keeper is gone, or hears that the copy is.
            os._exit(1)

    def sleep(self, state):
        while True:
            kind, body, descriptors = self.control.receive()
            if kind == b"g" and self.go_on(state, descriptors):
                return
            if kind == b"l":
                os._exit(0)
            if kind == b"a":
                write_oom(self.oom_at_start + OOM_OLD)
            elif kind == b"w":
                self.write_variables(state, descriptors[0])

    def write_variables(self, state, fd):
        """For a new Python, where this one cannot continue. It ends afterwards."""
        try:
            state.revive_generator()
            lost = dump_variables(vars(sys.modules["__main__"]), fd, self.state_beside())
            self.control.send(b"w", "\0".join(lost).encode("utf-8", "replace"))
        finally:
            os._exit(0)

    def go_on(self, state, descriptors):
        """
        Lets a fork of this copy continue, while it sleeps on. Where there can be no such fork, it continues itself. Returns whether this
        process continues.
        """
        pid = fork_for_parent()
        if pid > 0:
            close_all(descriptors)
            write_oom(self.oom_at_start + OOM_NEWEST)
            return False
        if pid == 0:
            os.setsid()
            prctl(PR_SET_PDEATHSIG, _signal.SIGKILL)
            if os.getppid() != self.keeper:
                os._exit(1)
        os.dup2(descriptors[0], self.control.fd, False)
        os.close(descriptors[0])
        self.control.send(b"f", str(os.getpid()).encode())
        if pid == 0:
            launder(open_descriptors((self.control.fd, *descriptors[1:])))
        self.wake(state, descriptors[1:])
        return True

    def wake(self, state, descriptors):
        for fd, places in zip(descriptors, state.outputs()):
            for place, is_inheritable in places:
                os.dup2(fd, place, is_inheritable)
            os.close(fd)
        write_oom(self.oom_at_start + OOM_RUNNING)
        # Once the files are there.
        self.control.receive()
        state.revive()
        self.repairs.revive()
        self.control.send(b"g")


def descriptors_in(extra):
    """What came with a message, as `recvmsg` returns it."""
    contents = [content for _, _, content in extra]
    return [int.from_bytes(content[at : at + 4], sys.byteorder) for content in contents for at in range(0, len(content), 4)]


def read_oom():
    return read_number(OOM_FILE) or 0


def write_oom(value):
    try:
        fd = os.open(OOM_FILE, os.O_WRONLY)
        os.write(fd, b"%d" % min(value, 1000))
        os.close(fd)
    except OSError:
        pass
