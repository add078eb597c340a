"""The file of a program that another interpreter opens by its name. Its name is gone before the interpreter reads the first line."""

# See fcntl(2). With such a lease, an `open` by another process waits until the lease is given back.
F_SETLEASE, F_GETLEASE, F_WRLCK, F_UNLCK = 1024, 1025, 1, 2
# How often is looked whether it is the program that waits. It is about to, as a rule.
LOOKS = 2_000


class GatedFile:
    def __init__(self, path, content):
        self.path = path
        # No earlier program and no other process gets an end of it.
        self.fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(self.fd, rest) :]
        # File systems of a network, or of another machine, may have no leases: there it keeps its name until the end.
        self.is_closed = ctypes.pythonapi.fcntl(self.fd, F_SETLEASE, F_WRLCK) == 0
        self.is_opened = False
        self.version = self.version_now()

    def version_now(self):
        stat = os.fstat(self.fd)
        return stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns

    def has_name(self):
        """Whether the name still leads to this file."""
        try:
            named, stat = os.lstat(self.path), os.fstat(self.fd)
        except OSError:
            return False
        return (named.st_dev, named.st_ino) == (stat.st_dev, stat.st_ino)

    def let(self, pid):
        """Removes the name where a process waits to open the file, and lets it."""
        if not self.is_closed or ctypes.pythonapi.fcntl(self.fd, F_GETLEASE) == F_WRLCK:
            return
        self.is_closed = False
        # Another process that reads all files here gets this one, and the name stays for the program.
        if is_opening(pid) and self.is_ours():
            os.unlink(self.path)
            self.version = self.version_now()
            self.is_opened = True
        ctypes.pythonapi.fcntl(self.fd, F_SETLEASE, F_UNLCK)

    def is_ours(self):
        """Whether nothing else was opened under this name, and the file is unchanged."""
        return (self.is_opened or self.has_name()) and self.version_now() == self.version

    def close(self):
        try:
            if self.has_name():
                os.unlink(self.path)
        except OSError:
            pass
        os.close(self.fd)


def is_opening(pid):
    """Whether a process waits for a lease. Where the kernel does not say what it waits for, it is taken to."""
    for _ in range(LOOKS):
        try:
            with open("/proc/%d/wchan" % pid, "rb") as file:
                place = file.read()
        except OSError:
            return True
        if b"lease" in place:
            return True
    return place in (b"", b"0")
