"""What the files of the working directory were at each checkpoint. Contents are kept once, and restored in place."""

# A file that has changed so shortly before may change again without a new time, in nanoseconds: clocks of files have steps.
YOUNG_NS = 20_000_000
# How many entries of a directory are looked at. Beyond that, files are not undone.
MOST_ENTRIES = 200_000


class Entry:
    """A file, a directory or a link, as it was."""

    def __init__(self, status, link=None):
        self.mode, self.owner = status.st_mode, (status.st_uid, status.st_gid)
        self.time = status.st_mtime_ns
        self.identity = status.st_dev, status.st_ino
        self.key = key_of(status)
        self.link = link
        # `None` where it could not be kept.
        self.content = None
        self.is_other_mount = False

    @property
    def kind(self):
        return stat.S_IFMT(self.mode)


class Store:
    """The checkpoints of a directory, by their numbers."""

    def __init__(self, directory, most_bytes, most_files):
        self.directory = directory
        self.most_files = most_files
        self.contents = Contents([directory], most_bytes)
        self.trees = {}
        # Whether there would be room for all files if no other checkpoint had any.
        self.is_short = self.had_no_room = False
        # How often files were found to be gone.
        self.losses = 0
        # What is known of a file, by its key: its content, and when it was read.
        self.known = {}

    def keep(self, number):
        """Keeps the current files. Afterwards, `is_short` says whether there would be room for all without other checkpoints."""
        now = time.time_ns()
        self.had_no_room = False
        tree = scan(self.directory)
        self.trees[number] = tree
        self.is_short = False
        if tree is None:
            return
        files = [each for each in tree.values() if each.kind == stat.S_IFREG]
        # Small ones first, so that one large file does not take the place of all others.
        order = sorted(tree, key=lambda path: tree[path].key[2])
        kept = 0
        for path in order:
            entry = tree[path]
            if entry.kind == stat.S_IFREG and kept < self.most_files:
                kept += 1
                self.keep_content(path, entry, now)
        self.known = {each.key: (each.content, now) for each in files if each.content is not None}
        is_whole = kept < self.most_files and sum(each.key[2] for each in files) <= self.contents.room_in_all()
        self.is_short = is_whole and self.had_no_room

    def keep_content(self, path, entry, now):
        content, read_at = self.known.get(entry.key, (None, 0))
        is_young = max(entry.time, entry.key[4]) > read_at - YOUNG_NS
        if content is None or is_young:
            content = self.read(path, entry, content)
            if content is None:
                return
            self.known[entry.key] = content, now
        content.users += 1
        entry.content = content

    def read(self, path, entry, known):
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | getattr(os, "O_NOATIME", 0) * (os.geteuid() == entry.owner[0]))
        except OSError:
            return None
        try:
            status = os.fstat(fd)
            if known is not None and known.users > 0 and self.contents.is_equal(known, fd, status.st_size):
                return known
            if key_of(status) != entry.key:
                # It is being changed. The content that is read may mix two states, and is read again next time.
                entry.key, entry.time = key_of(status), status.st_mtime_ns
            return self.contents.add(fd, status.st_size)
        except NoRoom:
            self.had_no_room = True
        except OSError:
            pass
        finally:
            os.close(fd)

    def renew_files(self, number):
        """Keeps the current files for a checkpoint, when something else than a block has changed them."""
        earlier = self.trees.pop(number)
        self.keep(number)
        self.release(earlier)

    def forget_content(self, content):
        """It is in no checkpoint any more."""
        for entry in self.entries():
            if entry.content is content:
                entry.content = None
        self.contents.drop(content)
        self.known = {key: each for key, each in self.known.items() if each[0] is not content}

    def drop(self, number):
        self.release(self.trees.pop(number, None))

    def release(self, tree):
        for content in [entry.content for entry in (tree or {}).values() if entry.content is not None]:
            content.users -= 1
            if content.users == 0:
                self.contents.drop(content)
        # What no checkpoint has is not known either.
        self.known = {key: (content, at) for key, (content, at) in self.known.items() if content.users > 0}

    def restore(self, number):
        """Restores the directory. Returns the paths that it could not restore; `None` when no files were kept."""
        tree = self.trees[number]
        if tree is None:
            return None
        return Restore(self, tree).run()

    def forget_numbers(self, present):
        """File systems use the number of a file again once the file is gone."""
        self.losses += 1
        for entry in self.entries():
            if (entry.identity, entry.kind) not in present and entry.identity[0] is not None:
                entry.identity = None, self.losses, entry.identity

    def renew(self, old, new):
        """A recreated file has a new number in every checkpoint, which a removed file may have had."""
        self.losses += 1
        for entry in self.entries():
            if entry.identity == new:
                entry.identity = None, self.losses, new
            elif entry.identity == old:
                entry.identity = new

    def entries(self):
        for tree in self.trees.values():
            yield from (tree or {}).values()

    def close(self):
        os.close(self.contents.fd)


def scan(directory):
    """All entries below a directory, by their paths, and the directory itself. `None` if there are too many."""
    try:
        status = os.lstat(directory)
    except OSError:
        return {}
    tree, device = {directory: Entry(status)}, status.st_dev
    directories = [directory]
    while directories:
        try:
            with os.scandir(directories.pop()) as entries:
                for each in entries:
                    if len(tree) > MOST_ENTRIES:
                        return None
                    try:
                        status = each.stat(follow_symlinks=False)
                        entry = Entry(status, os.readlink(each.path) if stat.S_ISLNK(status.st_mode) else None)
                    except OSError:
                        continue
                    tree[each.path] = entry
                    entry.is_other_mount = status.st_dev != device
                    if stat.S_ISDIR(status.st_mode) and not entry.is_other_mount:
                        directories.append(each.path)
        except OSError:
            continue
    return tree


def key_of(status):
    """Changes with a file's content."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
