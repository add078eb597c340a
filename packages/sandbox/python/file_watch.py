# Prints what changes in a directory, as lines of JSON: python3 -c SOURCE BASE PATH RECURSIVE. See ../src/files/file-watch.ts.
# Each change makes it list a directory again and compare, so that nothing is lost where the kernel drops events.
import json
import os
import stat
import struct
import sys
import time

try:
    import ctypes
except ImportError:
    ctypes = None

MOST_ENTRIES, MOST_LEVELS = 100000, 100
# Several changes at once are one listing.
BATCH_SECONDS, POLL_SECONDS = 0.02, 1
CHANGES = 0x2 | 0x4 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800
ONLY_DIRECTORIES, OVERFLOW, GONE = 0x01000000, 0x4000, 0x8000
EVENT = struct.Struct("iIII")


class Inotify:
    """Tells in which directories something changed (inotify(7))."""

    def __init__(self):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.file = self.libc.inotify_init1(os.O_CLOEXEC)
        if self.file < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        self.directories = {}

    def add(self, directory, descriptor):
        path = ("/proc/self/fd/%d" % descriptor).encode()
        watch = self.libc.inotify_add_watch(self.file, path, CHANGES | ONLY_DIRECTORIES)
        if watch < 0:
            raise OSError(ctypes.get_errno(), "inotify_add_watch")
        self.directories[watch] = directory

    def forget(self, directory):
        for watch in [each for each, path in self.directories.items() if path == directory]:
            del self.directories[watch]
            self.libc.inotify_rm_watch(self.file, watch)

    def wait(self):
        """Returns the directories to list, or None for all of them."""
        found, data, at = set(), os.read(self.file, 65536), 0
        time.sleep(BATCH_SECONDS)
        while at < len(data):
            watch, mask, _, length = EVENT.unpack_from(data, at)
            at += EVENT.size + length
            if mask & OVERFLOW:
                return None
            if watch in self.directories:
                found.add(self.directories[watch])
            if mask & GONE:
                self.directories.pop(watch, None)
        return found


class Tree:
    """The entries that were last seen, by directory and name."""

    def __init__(self, base, path, recursive):
        self.base, self.path, self.recursive = base, path, recursive
        self.seen, self.count, self.is_quiet = {}, 0, True
        try:
            self.inotify = Inotify()
        except (AttributeError, OSError):
            self.inotify = None

    def open(self, directory):
        descriptor = os.open(self.base, os.O_RDONLY | os.O_DIRECTORY)
        for name in [each for each in (self.path + "/" + directory).split("/") if each]:
            above = descriptor
            try:
                descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=above)
            finally:
                os.close(above)
        return descriptor

    def look(self, directory):
        """Lists a directory and reports what differs. Raises OSError where it is gone or locked."""
        descriptor = self.open(directory)
        try:
            self.attend(directory, descriptor)
            entries = entries_of(descriptor)
        finally:
            os.close(descriptor)
        before = self.seen.get(directory, {})
        self.count += len(entries) - len(before)
        if self.count > MOST_ENTRIES:
            sys.exit("it has more than %d entries, which is too many to watch" % MOST_ENTRIES)
        self.seen[directory] = entries
        for name, version in before.items():
            if is_other(version, entries.get(name)):
                self.lose(join(directory, name))
        for name, version in entries.items():
            self.compare(join(directory, name), before.get(name), version)

    def compare(self, path, before, version):
        if is_other(version, before):
            self.say("created", path)
            if version[0] == "directory" and self.recursive and path.count("/") < MOST_LEVELS:
                self.look_if_there(path)
        elif before != version:
            self.say("changed", path)

    def look_if_there(self, directory):
        try:
            self.look(directory)
        except OSError:
            if directory == "":
                sys.exit()
            self.lose_entries(directory)

    def lose(self, path):
        self.lose_entries(path)
        self.say("removed", path)

    def lose_entries(self, directory):
        if directory not in self.seen:
            return
        names = self.seen.pop(directory)
        self.count -= len(names)
        if self.inotify is not None:
            self.inotify.forget(directory)
        for name in names:
            self.lose(join(directory, name))

    def attend(self, directory, descriptor):
        if self.inotify is None:
            return
        try:
            self.inotify.add(directory, descriptor)
        except OSError:
            # The system has no more watches: compare from time to time.
            os.close(self.inotify.file)
            self.inotify = None

    def wait(self):
        if self.inotify is None:
            time.sleep(POLL_SECONDS)
            return None
        return self.inotify.wait()

    def say(self, kind, path):
        if not self.is_quiet:
            write([kind, os.fsencode(path).decode("utf-8", "replace")])

    def follow(self):
        try:
            self.look("")
        except OSError as error:
            sys.exit(error.strerror)
        self.is_quiet = False
        write(["ready"])
        while True:
            found = self.wait()
            for directory in sorted(self.seen if found is None else found):
                if directory in self.seen:
                    self.look_if_there(directory)


def entries_of(descriptor):
    entries = {}
    with os.scandir(descriptor) as found:
        for entry in found:
            # Files that Fenced makes for a moment.
            if entry.name.startswith(".fenced-"):
                continue
            try:
                entries[entry.name] = version_of(entry.stat(follow_symlinks=False))
            except OSError:
                pass
            if len(entries) > MOST_ENTRIES:
                break
    return entries


def version_of(entry):
    if stat.S_ISDIR(entry.st_mode):
        return ("directory", entry.st_ino)
    return ("file", entry.st_ino, entry.st_mode, entry.st_size, entry.st_mtime_ns, entry.st_ctime_ns)


def is_other(one, other):
    """Whether one took the place of the other: a file that is replaced as a whole changes."""
    return other is None or one[0] != other[0] or (one[0] == "directory" and one != other)


def join(directory, name):
    return name if directory == "" else directory + "/" + name


def write(words):
    os.write(1, (json.dumps(words) + "\n").encode())


base, path, recursive = sys.argv[1:4]
Tree(base, path, recursive == "recursive").follow()
