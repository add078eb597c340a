"""The file of a program that was given as bytes: it is there only while something asks for it by its name."""

# Before these the file is removed, so no program sees it in its directory.
LOOKS_AROUND = frozenset(
    "os.listdir os.scandir glob.glob os.fork os.forkpty os.system os.exec os.posix_spawn os.spawn subprocess.Popen".split()
)
# Modules that start an interpreter which runs the file: from then on it stays.
STARTS_FILE = ("popen_spawn_posix", "popen_forkserver", "popen_loky_posix")


def make_absent_file(path, content):
    """
    Lets everything that opens the file find it: the printers of tracebacks and warnings, `inspect`, and processes of
    `multiprocessing`. The interpreter opens a file by name to print source lines, and its own functions offer no other way.
    """
    file = AbsentFile(path, content)
    if any(name.rpartition(".")[2] in STARTS_FILE for name in sys.modules):
        file.stay()
    linecache = sys.modules.get("linecache")
    if linecache is not None:
        file.begin(linecache)
    return file


class AbsentFile:
    """Python clears the global names of this file at the end of a program, so its functions use none that a program could need then."""

    def __init__(self, path, content):
        self.path = path
        self.content = content
        # An earlier run of the same program may have left it.
        self.is_there, self.stays = os.path.lexists(path), False
        self.open, self.write, self.close, self.unlink = os.open, os.write, os.close, os.unlink
        self.flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        self.new_finder = partial(LinecacheFinder, self, WatchedLoader)
        self.meta_path, self.starts_file = sys.meta_path, STARTS_FILE

    def note_import(self, name):
        if name == "linecache":
            self.meta_path.insert(0, self.new_finder())
        elif name.endswith(self.starts_file):
            self.stay()

    def make(self):
        # What is opened next are events as well.
        self.is_there = True
        try:
            fd = self.open(self.path, self.flags, 0o600)
        except OSError:
            self.is_there = False
            return
        try:
            rest = self.content
            while rest:
                rest = rest[self.write(fd, rest) :]
        except OSError:
            pass
        self.close(fd)

    def remove(self):
        if self.stays:
            return
        try:
            self.unlink(self.path)
        except OSError:
            pass
        self.is_there = False

    def stay(self):
        self.stays = True
        if not self.is_there:
            self.make()

    def begin(self, linecache):
        """Gives a new `linecache` the lines: it looks for a file before it opens it."""
        try:
            lines = self.content.decode("utf-8-sig").splitlines(True)
        except UnicodeDecodeError:
            return
        linecache.cache[self.path] = (len(self.content), None, lines, self.path)


class LinecacheFinder:
    """Finds `linecache` once, as the other finders do."""

    def __init__(self, file, watched_loader):
        self.file = file
        self.watched_loader = watched_loader

    def find_spec(self, name, path=None, target=None):
        if name != "linecache":
            return None
        self.file.meta_path.remove(self)
        for finder in self.file.meta_path:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                spec.loader = self.watched_loader(spec.loader, self.file)
                return spec
        return None
