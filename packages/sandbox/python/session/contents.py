"""Contents of files, as byte ranges of one file without a name: however the process ends, nothing of it is left."""

# See ioctl(2) FICLONERANGE and fallocate(2): free a range, keep the size.
FICLONERANGE, PUNCH_HOLE = 0x4020940D, 1 | 2
# Ranges of contents begin at multiples of this, so that file systems can share their blocks.
BLOCK = 4096


class NoRoom(Exception):
    """The budget or the disk has no room for a content."""


class Contents:
    """Byte ranges of one file without a name."""

    def __init__(self, directories, most_bytes):
        self.fd = open_unnamed(directories)
        self.most_bytes = most_bytes
        self.used, self.end = 0, 0
        # Free ranges, as (start, size).
        self.free = []

    def add(self, source, size):
        """Keeps `size` bytes of an open file. Blocks that a file system shares cost nothing."""
        room = -(-size // BLOCK) * BLOCK
        start = self.take(room)
        content = Content(start, size, room)
        if size > 0 and clone_range(source, self.fd, size, start):
            return content
        if self.used + size > self.most_bytes or size > self.free_bytes() / 2:
            self.free.append((start, room))
            raise NoRoom
        try:
            content.size = copy_range(source, 0, self.fd, start, size)
        except OSError:
            self.drop_range(start, room)
            raise NoRoom from None
        content.cost = content.size
        self.used += content.cost
        return content

    def take(self, room):
        for index, (start, size) in enumerate(self.free):
            if size >= room:
                self.free[index] = start + room, size - room
                return start
        self.end += room
        return self.end - room

    def drop(self, content):
        self.used -= content.cost
        self.drop_range(content.start, content.room)

    def drop_range(self, start, room):
        if room > 0:
            ctypes.pythonapi.fallocate(self.fd, PUNCH_HOLE, ctypes.c_long(start), ctypes.c_long(room))
            self.free.append((start, room))

    def free_bytes(self):
        """Of its disk. Half of them are left to the program. Memory has no number of blocks."""
        status = os.fstatvfs(self.fd)
        return status.f_bavail * status.f_frsize if status.f_blocks else float("inf")

    def room_in_all(self):
        """For contents, if there were no others yet."""
        return min(self.most_bytes, (self.used + self.free_bytes()) / 2)

    def move(self, content, target):
        """Writes a content into a file, in place of the content: for a disk that has no room for both."""
        for at in range(0, content.size, CHUNK):
            chunk = os.pread(self.fd, min(CHUNK, content.size - at), content.start + at)
            ctypes.pythonapi.fallocate(self.fd, PUNCH_HOLE, ctypes.c_long(content.start + at), ctypes.c_long(CHUNK))
            write_at(target, chunk, at)

    def is_equal(self, content, source, size):
        if content.size != size:
            return False
        for at in range(0, size, CHUNK):
            length = min(CHUNK, size - at)
            if os.pread(self.fd, length, content.start + at) != os.pread(source, length, at):
                return False
        return True


class Content:
    def __init__(self, start, size, room):
        self.start, self.size, self.room = start, size, room
        self.cost = 0
        self.users = 0


def open_unnamed(directories):
    """A file without a name: beside the files that it has contents of, or in memory."""
    for directory in directories:
        try:
            return os.open(directory, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except (OSError, AttributeError):
            pass
    return ctypes.pythonapi.memfd_create(b"files", MFD_CLOEXEC)


def clone_range(source, target, size, at):
    """Whether the file system shares the blocks."""
    order = b"".join(value.to_bytes(8, sys.byteorder) for value in (source, 0, 0, at))
    return ctypes.pythonapi.ioctl(target, ctypes.c_ulong(FICLONERANGE), order) == 0


def copy_range(source, source_at, target, at, size):
    """Returns how many bytes there were."""
    done, is_fast = 0, hasattr(os, "copy_file_range")
    while done < size:
        if is_fast:
            try:
                count = os.copy_file_range(source, target, size - done, source_at + done, at + done)
            except OSError:
                is_fast = False
                continue
            if count == 0:
                # Some files say that they are empty.
                is_fast = False
                continue
        else:
            chunk = os.pread(source, min(CHUNK, size - done), source_at + done)
            count = len(chunk)
            write_at(target, chunk, at + done)
        if count == 0:
            break
        done += count
    return done


def write_at(target, chunk, at):
    while chunk:
        written = os.pwrite(target, chunk, at)
        chunk, at = chunk[written:], at + written
