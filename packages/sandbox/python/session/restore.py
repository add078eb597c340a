"""Restores a directory to its state at a checkpoint: in place, so that open files and databases see it."""


class Restore:
    def __init__(self, store, tree):
        self.store = store
        self.tree = tree
        self.failed = []
        # Files of the checkpoint that have another name now, by their identity: where they are meanwhile, and that name.
        self.aside = {}
        # The names of each file of the checkpoint.
        self.places = {}

    def run(self):
        root = self.store.directory
        now = scan(root)
        if now is None:
            return [root]
        self.store.forget_numbers({(entry.identity, entry.kind) for entry in now.values()})
        for path, entry in self.tree.items():
            self.places.setdefault(entry.identity, []).append(path)
        now = self.rename_directories(root, now)
        self.put_aside(now)
        self.remove_others(now)
        for path in sorted(self.tree, key=depth_of):
            self.guarded(path, self.restore_entry)
        for aside, path in self.aside.values():
            # Its earlier name could not be restored.
            self.guarded(path, lambda path: os.rename(aside, path))
        # Their times change with their entries.
        for path in sorted(self.tree, key=depth_of, reverse=True):
            if self.tree[path].kind == stat.S_IFDIR and not self.tree[path].is_other_mount:
                self.guarded(path, self.restore_attributes)
        self.learn()
        return sorted(set(self.failed))

    def guarded(self, path, step):
        try:
            step(path)
        except OSError:
            self.failed.append(path)

    def rename_directories(self, root, now):
        """Gives directories their names back, where these are free: a program may be in one. Returns what is there then."""
        while True:
            for path in sorted(now, key=depth_of):
                entry = now[path]
                place = next(iter(self.places.get(entry.identity, ())), path)
                is_free = place != path and path not in self.tree and place not in now and os.path.dirname(place) in now
                if entry.kind == stat.S_IFDIR and is_free and not entry.is_other_mount:
                    try:
                        os.rename(path, place)
                        now = scan(root) or {}
                        break
                    except OSError:
                        pass
            else:
                return now

    def put_aside(self, now):
        """Files of the checkpoint that have another name now: the same file gets its name back, as a program may have it open."""
        for path, entry in list(now.items()):
            places = self.places.get(entry.identity, ())
            if entry.kind != stat.S_IFREG or path in places or not places:
                continue
            is_in_place = any(place in now and now[place].identity == entry.identity for place in places)
            if not is_in_place and entry.identity not in self.aside:
                aside = os.path.join(self.store.directory, ".fenced-%s" % os.urandom(8).hex())
                try:
                    self.with_rights(os.path.dirname(path), lambda: os.rename(path, aside))
                except OSError:
                    continue
                self.aside[entry.identity] = aside, path
                del now[path]

    def remove_others(self, now):
        """Removes what was not there, and what has taken the place of something."""
        for path in sorted(now, key=depth_of, reverse=True):
            entry, then = now[path], self.tree.get(path)
            is_same = then is not None and then.kind == entry.kind
            if is_same and entry.kind == stat.S_IFREG and then.content is not None:
                is_same = then.identity == entry.identity
            if not is_same and not entry.is_other_mount:
                self.guarded(path, lambda path: self.with_rights(os.path.dirname(path), lambda: remove_entry(path)))

    def with_rights(self, directory, step):
        try:
            step()
        except PermissionError:
            mode = os.lstat(directory).st_mode
            os.chmod(directory, stat.S_IMODE(mode) | 0o700)
            try:
                step()
            finally:
                os.chmod(directory, stat.S_IMODE(mode))

    def restore_entry(self, path):
        then = self.tree[path]
        if then.is_other_mount:
            return
        try:
            now = os.lstat(path)
        except OSError:
            now = None
        if now is not None and key_of(now) == then.key and now.st_mode == then.mode:
            return
        self.with_rights(os.path.dirname(path), lambda: self.make(path, then, now))

    def make(self, path, then, now):
        if then.kind == stat.S_IFDIR:
            if now is None:
                os.mkdir(path)
        elif then.kind == stat.S_IFLNK:
            if now is None or os.readlink(path) != then.link:
                remove_entry(path)
                os.symlink(then.link, path)
                now = None
            if now is None or now.st_mtime_ns != then.time:
                os.utime(path, ns=(then.time, then.time), follow_symlinks=False)
        elif then.kind == stat.S_IFREG:
            self.make_file(path, then, now)
        elif then.kind == stat.S_IFIFO:
            if now is None:
                os.mkfifo(path)
            self.restore_attributes(path)
        elif now is None:
            # A socket or a device.
            self.failed.append(path)

    def make_file(self, path, then, now):
        if then.identity in self.aside:
            os.rename(self.aside[then.identity][0], path)
            del self.aside[then.identity]
            now = os.lstat(path)
        if now is None or (now.st_dev, now.st_ino) != then.identity:
            other = next((place for place in self.places[then.identity] if has_identity(place, then.identity)), None)
            if other is not None:
                remove_entry(path)
                os.link(other, path)
                now = os.lstat(path)
        if then.content is not None:
            self.write(path, then)
        elif now is None or key_of(now)[:4] != then.key[:4]:
            # It was not kept.
            self.failed.append(path)
            return
        self.restore_attributes(path)

    def write(self, path, then):
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except PermissionError:
            if not os.path.lexists(path):
                raise
            os.chmod(path, 0o600)
            fd = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            # A program that runs cannot be written to.
            os.unlink(path)
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            content = then.content
            if not self.store.contents.is_equal(content, fd, os.fstat(fd).st_size):
                os.ftruncate(fd, content.size)
                self.fill(content, fd)
            status = os.fstat(fd)
            identity = status.st_dev, status.st_ino
            if identity != then.identity:
                self.places[identity] = self.places.pop(then.identity)
                self.store.renew(then.identity, identity)
        finally:
            os.close(fd)

    def fill(self, content, fd):
        contents = self.store.contents
        try:
            copy_range(contents.fd, content.start, fd, 0, content.size)
        except OSError:
            try:
                contents.move(content, fd)
            finally:
                self.store.forget_content(content)

    def restore_attributes(self, path):
        then, now = self.tree[path], os.lstat(path)
        if (now.st_uid, now.st_gid) != then.owner:
            os.chown(path, *then.owner, follow_symlinks=False)
        if now.st_mode != then.mode:
            os.chmod(path, stat.S_IMODE(then.mode))
        if now.st_mtime_ns != then.time:
            os.utime(path, ns=(now.st_atime_ns, then.time))

    def learn(self):
        """What was written has new keys."""
        now = time.time_ns()
        for path, then in self.tree.items():
            try:
                then.key = key_of(os.lstat(path)) if path not in self.failed else then.key
            except OSError:
                continue
            if then.content is not None and path not in self.failed:
                self.store.known[then.key] = then.content, now


def depth_of(path):
    return path.count("/")


def has_identity(path, identity):
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return (status.st_dev, status.st_ino) == identity


def remove_entry(path):
    try:
        status = os.lstat(path)
    except OSError:
        return
    if stat.S_ISDIR(status.st_mode):
        remove_directory(path)
    else:
        os.unlink(path)


def remove_directory(path):
    """With all below it that is left."""
    try:
        names = os.listdir(path)
    except PermissionError:
        os.chmod(path, 0o700)
        names = os.listdir(path)
    for name in names:
        remove_entry(os.path.join(path, name))
    os.rmdir(path)
