"""The kernel's state of a Python, which a fork does not copy or which it shares: descriptors, timers, random numbers."""

# See open(2): the flags of an open file that a second one is opened with.
KEPT_FLAGS = os.O_ACCMODE | os.O_APPEND | os.O_NONBLOCK | os.O_DSYNC | os.O_SYNC | os.O_DIRECT | os.O_NOATIME | os.O_PATH
# See tee(2).
MOST_IN_PIPE, SPLICE_F_NONBLOCK = 2**20, 2
GPU_DEVICES = "/dev/nvidia", "/dev/kfd", "/dev/dri/"
DELETED = " (deleted)"
# What a copy gets anew, or may share with the running program.
COPIED_OBJECTS = "", "eventfd", "eventpoll", "pidfd"
# Maximum number of names of one kind in a report.
MOST_NAMES = 10


class Descriptor:
    """An open descriptor: what it leads to, and all that a new one needs in order to be as it was."""

    def __init__(self, fd):
        self.fd = fd
        self.status = os.fstat(fd)
        self.kind = stat.S_IFMT(self.status.st_mode)
        self.link = os.readlink("/proc/self/fd/%d" % fd)
        self.is_inheritable = os.get_inheritable(fd)
        self.info = [line.split() for line in read_file("/proc/self/fdinfo/%d" % fd).decode("ascii", "replace").splitlines()]
        self.flags = next((int(line[1], 8) for line in self.info if line[:1] == ["flags:"]), os.O_RDWR)
        self.offset = None
        if self.kind in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFBLK):
            try:
                self.offset = os.lseek(fd, 0, os.SEEK_CUR)
            except OSError:
                pass

    @property
    def is_file(self):
        return self.kind in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFLNK)

    @property
    def lost_object(self):
        """The name of an object of the kernel that a copy cannot have, such as a timer; empty for all else."""
        if self.link.endswith("/ptmx"):
            return "terminal"
        name = self.link.partition("anon_inode:")[2].strip("[]")
        return "" if name in COPIED_OBJECTS else name

    @property
    def name(self):
        return self.link[: -len(DELETED)] if self.link.endswith(DELETED) else self.link

    def put(self, fd):
        """Makes the descriptor a duplicate of another descriptor, which is closed."""
        os.dup2(fd, self.fd, self.is_inheritable)
        os.close(fd)

    @property
    def is_open(self):
        """The collector may have closed it since, with a file that nothing refers to."""
        try:
            return os.path.samestat(os.fstat(self.fd), self.status)
        except OSError:
            return False

    def reopen(self):
        """With a separate offset, because the running program moves its own."""
        fd = os.open("/proc/self/fd/%d" % self.fd, self.flags & KEPT_FLAGS | os.O_NOCTTY | os.O_CLOEXEC)
        if self.offset:
            try:
                os.lseek(fd, self.offset, os.SEEK_SET)
            except OSError:
                pass
        self.put(fd)

    def renew_events(self):
        """Its own `epoll`, for the same descriptors."""
        epoll = select.epoll()
        for line in self.info:
            if line[:1] == ["tfd:"]:
                try:
                    epoll.register(int(line[1]), int(line[3], 16))
                except OSError:
                    pass
        os.dup2(epoll.fileno(), self.fd, self.is_inheritable)
        epoll.close()

    def renew_counter(self):
        count = next((int(line[1], 16) for line in self.info if line[:1] == ["eventfd-count:"]), 0)
        self.put(ctypes.pythonapi.eventfd(count, self.flags & (os.O_NONBLOCK | os.O_CLOEXEC)))


class State:
    """All of it, read before a fork."""

    def __init__(self, ours, ends):
        self.ends = ends
        self.descriptors = open_descriptors(ours)
        self.timers = [(timer, *_signal.getitimer(timer)) for timer in TIMERS]
        self.directory = current_directory()
        random = sys.modules.get("random")
        self.generator = vars(random).get("_inst") if type(random) is type(sys) else None
        self.random = None if self.generator is None else self.generator.getstate()
        self.is_reaper = ctypes.c_int()
        prctl(PR_GET_CHILD_SUBREAPER, ctypes.byref(self.is_reaper))
        if self.is_reaper.value:
            prctl(PR_SET_CHILD_SUBREAPER, 0)

    def set_reaper_back(self):
        if self.is_reaper.value:
            prctl(PR_SET_CHILD_SUBREAPER, 1)

    def outputs(self):
        """For each way to the keeper the descriptors that lead there, and whether other programs get these."""
        for number in self.ends:
            own = next((each for each in self.descriptors if each.fd == number), None)
            same = [each for each in self.descriptors if own is not None and os.path.samestat(each.status, own.status)]
            yield [(each.fd, each.is_inheritable) for each in same] or [(number, number in (STDOUT, STDERR))]

    def lacks(self):
        """What a copy will not have, by kind."""
        ends = {fd for places in self.outputs() for fd, _ in places}
        others = [each for each in self.descriptors if each.fd not in ends]
        files = [each for each in others if each.kind == stat.S_IFREG]
        memory = [each for each in files if each.link.startswith(("/memfd:", "/dev/shm/"))]
        lacks = {
            "connections": [each.link.partition(":")[0] for each in others if each.kind in (stat.S_IFSOCK, stat.S_IFIFO)],
            "locks": [each.name for each in files if any(line[:1] == ["lock:"] for line in each.info)],
            "memory": [each.name for each in memory],
            "deleted": [each.name for each in files if each.link.endswith(DELETED) and each not in memory],
            "objects": list(filter(None, (each.lost_object for each in others))),
            "gpu": [each.name for each in others if each.link.startswith(GPU_DEVICES)],
        }
        return {kind: sorted(set(names))[:MOST_NAMES] for kind, names in lacks.items() if names}

    def launder(self):
        self.descriptors = launder(self.descriptors)

    def follow_files(self):
        """A file, or the directory that a program is in, may have been recreated under its name."""
        for each in self.descriptors:
            if each.kind != stat.S_IFREG or each.link.endswith(DELETED):
                continue
            try:
                if not os.path.samestat(os.stat(each.link), each.status):
                    fd = os.open(each.link, each.flags & KEPT_FLAGS | os.O_CLOEXEC)
                    os.lseek(fd, each.offset or 0, os.SEEK_SET)
                    each.put(fd)
            except OSError:
                pass
        if self.directory is not None and self.directory != current_directory():
            try:
                os.chdir(self.directory[0])
            except OSError:
                pass

    def revive(self):
        self.follow_files()
        self.set_reaper_back()
        for timer, delay, interval in self.timers:
            if delay > 0:
                _signal.setitimer(timer, delay, interval)
        self.revive_generator()

    def revive_generator(self):
        """Python seeds it anew in each fork."""
        if self.generator is not None:
            self.generator.setstate(self.random)


def open_descriptors(ours):
    """All of this process but ours."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in ours:
            try:
                found.append(Descriptor(int(name)))
            except OSError:
                # Such as the descriptor that has read the directory.
                pass
    return found


def launder(descriptors):
    """
    Gives up what only the running program may have. With the pipes of a copy no reader would see the end; with its open
    files no lock would be released. Returns those that are still open.
    """
    ends = {}
    for each in descriptors:
        if each.kind == stat.S_IFIFO:
            ends.setdefault(each.status.st_ino, set()).add(each.flags & os.O_ACCMODE)
    inner = {}
    descriptors = [each for each in descriptors if each.is_open]
    for each in descriptors:
        try:
            if each.lost_object:
                each.put(dead_end())
            elif each.is_file:
                each.reopen()
            elif each.link == "anon_inode:[eventfd]":
                each.renew_counter()
            elif ends.get(each.status.st_ino, ()) == {os.O_RDONLY, os.O_WRONLY} and each.kind == stat.S_IFIFO:
                # Both ends are here, so it connects no other process.
                pair = inner.setdefault(each.status.st_ino, os.pipe() if each.status.st_ino not in inner else None)
                is_reader = each.flags & os.O_ACCMODE == os.O_RDONLY
                os.set_blocking(pair[not is_reader], not each.flags & os.O_NONBLOCK)
                if is_reader:
                    ctypes.pythonapi.tee(each.fd, pair[1], MOST_IN_PIPE, SPLICE_F_NONBLOCK)
                os.dup2(pair[not is_reader], each.fd, each.is_inheritable)
            elif "pidfd" not in each.link and "eventpoll" not in each.link:
                each.put(dead_end())
        except OSError:
            each.put(os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC))
    for pair in inner.values():
        for fd in pair:
            os.close(fd)
    for each in descriptors:
        if each.link == "anon_inode:[eventpoll]":
            each.renew_events()
    return descriptors


def current_directory():
    """Its path, and which one it is; `None` if it was removed."""
    try:
        status = os.stat(".")
        return os.getcwd(), status.st_dev, status.st_ino
    except OSError:
        return None


def dead_end():
    """A descriptor whose other end is closed: a socket, in place of a pipe as well."""
    kept, other = (each.detach() for each in _socket.socketpair())
    os.close(other)
    return kept
