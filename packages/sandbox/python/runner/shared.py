"""With `--shared`: one fork for each connection of the host."""

# Pause before the fork for the next connection, so that the previous connection is served first, in seconds.
NEXT_FORK_DELAY = 0.02


class Caller(Host):
    """The host of a resident Python that waits for its connection: by then the first program is there."""

    def __init__(self, listener, taken):
        self.listener = listener
        # Reports to the parent that it must wait for a further child.
        self.taken = taken
        self.inbox, self.outbox = bytearray(), bytearray()

    def descriptors(self):
        return super().descriptors() if self.listener is None else (self.listener, self.taken)

    def wait_for_frame(self):
        if self.listener is not None:
            self.connect()
        return super().wait_for_frame()

    def connect(self):
        connection = accept(self.listener)
        while peer_of(connection) != host_id:
            os.close(connection)
            connection = accept(self.listener)
        # From now on our parent can end, as a program could end it.
        prctl(PR_SET_PDEATHSIG, 0)
        os.write(self.taken, b".")
        for fd in self.descriptors():
            os.close(fd)
        self.listener = None
        Host.__init__(self, connection, os.dup(connection))
        is_spoilt = has_changed(0)
        if is_spoilt:
            restore_conditions()
            is_spoilt = has_changed(0)
        if is_spoilt or state_of(files_of_start) != state_of_start:
            self.send_last(b"s", b"")
        self.send(b"h", b"%s\0%d" % (version, os.getpid()))


def fork_servers(host, wakeup):
    """
    Forks when a connection comes, and from the second on keeps one fork that waits for the next, as it takes memory. Returns in
    these forks, with what they have as hosts. Each of them adopts the orphans among its own descendants; only what one that has
    died leaves becomes ours.
    """
    listener, name = listen()
    taken = os.pipe()
    host.send(b"h", version + b"\0" + name)
    forks, waiting, connections = set(), None, 0
    while True:
        for pid, status in ended_forks(forks):
            waiting = None if pid == waiting else waiting
            host.send(b"e", b"%d\0%d" % (pid, status))
        poll = select.poll()
        for fd in (host.source, wakeup[0], taken[0]):
            poll.register(fd, select.POLLIN)
        if host.outbox:
            poll.register(host.sink, select.POLLOUT)
        if waiting is None:
            poll.register(listener, select.POLLIN)
        is_due = waiting is None and connections > 1
        fds = [fd for fd, _ in poll.poll(NEXT_FORK_DELAY * 1000 if is_due else None)]
        if host.source in fds:
            host.receive()
        host.flush()
        if wakeup[0] in fds:
            os.read(wakeup[0], CHUNK)
        if taken[0] in fds:
            os.read(taken[0], CHUNK)
            waiting = None
            connections += 1
        elif waiting is None and (listener in fds or not fds):
            if has_changed(0):
                restore_conditions()
            try:
                waiting = os.fork()
            except OSError:
                time.sleep(NEXT_FORK_DELAY)
                continue
            if waiting == 0:
                for fd in (*host.descriptors(), *wakeup, taken[0]):
                    os.close(fd)
                begin_fork()
                return Caller(listener, taken[1])
            forks.add(waiting)


def begin_fork():
    global parent
    prctl(PR_SET_PDEATHSIG, _signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    parent = os.getpid()
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    os.setsid()
    given_up.clear()


def ended_forks(forks):
    """Those that have ended, with all that they left."""
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            given_up.discard(pid)
            if pid in forks:
                forks.remove(pid)
                end_strangers(forks)
                yield pid, -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    except ChildProcessError:
        pass


def end_strangers(forks):
    """Children that are not ours were left by a fork that has ended. What they started is left to us when they have."""
    give_up_at = time.monotonic() + KILL_SECONDS
    strangers = own_children() - forks - given_up
    while strangers and not are_out_of_reach(strangers) and time.monotonic() < give_up_at:
        signal_each(strangers, _signal.SIGKILL)
        ended = [pid for pid in strangers if os.waitpid(pid, os.WNOHANG)[0] == pid]
        if not ended:
            time.sleep(0.001)
        strangers = own_children() - forks - given_up
    given_up.update(strangers)


def listen():
    """As a name that is in no directory, so that nothing of it is left (Linux)."""
    name = b"fenced-" + os.urandom(16).hex().encode()
    listener = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    listener.bind(b"\0" + name)
    listener.listen(128)
    return listener.detach(), name


def accept(listener):
    # Not as an object that would close the descriptor at the end of a program.
    waiting = _socket.socket(fileno=listener)
    try:
        return waiting._accept()[0]
    finally:
        waiting.detach()


def peer_of(connection):
    """The number of the process that has connected: others see the name, too."""
    peer = _socket.socket(fileno=connection)
    try:
        credentials = peer.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    finally:
        peer.detach()
    return int.from_bytes(credentials[:4], sys.byteorder)
