"""A program, and everything that it starts."""

# Time limit for killing processes that do not end, in seconds. Processes of another user are not waited for.
KILL_SECONDS = 2
# Where the kernel counts whom it has killed in our container for want of memory (cgroups 2 and 1). Outside of one there
# is no such file.
OOM_COUNTERS = "/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"


def wait_for_child():
    """
    Returns what `os.wait4` returns, which imports `resource` each time: programs must not find that module, nor what the
    import system remembers of a search for it.
    """
    is_hidden = "resource" not in sys.modules
    if is_hidden:
        sys.modules["resource"] = resource
    try:
        return os.wait4(-1, os.WNOHANG)
    finally:
        if is_hidden:
            del sys.modules["resource"]


class Program:
    """A child, where it learns what to run, and the read ends of its streams by the letter of their frames."""

    def __init__(self, pid, orders, streams, answers):
        self.pid = pid
        self.orders = orders
        self.streams = streams
        # The pipe from which a program reads the answers to its tool calls, and the answers that do not fit into it yet.
        self.answers = answers
        self.untaken = []
        self.status = None
        self.has_descendants = True
        self.ended_at = None
        self.is_stopped = False
        self.has_ended_by_itself = False
        self.kill_at = None
        # When it was killed for the first time.
        self.killed_at = None
        # Processor time in seconds, and the size of the largest process as `ru_maxrss` has it, of all that has ended.
        self.seconds = 0
        self.largest = 0

    def begin(self, order, content):
        """Whether it was still there to hear it."""
        message = memoryview(len(order).to_bytes(4, "big") + order + content)
        try:
            while message:
                message = message[os.write(self.orders, message) :]
        except BrokenPipeError:
            return False
        finally:
            os.close(self.orders)
        return True

    def close(self):
        for fd in self.streams:
            os.close(fd)
        if self.answers is not None:
            os.close(self.answers)

    def answer(self):
        """Passes on what came for its tools, as far as it takes it."""
        try:
            while self.untaken:
                self.untaken[0] = self.untaken[0][os.write(self.answers, self.untaken[0]) :]
                if not self.untaken[0]:
                    del self.untaken[0]
        except BlockingIOError:
            pass
        except OSError:
            # It reads no more.
            self.untaken.clear()

    def drop(self):
        """Releases a program that ended before it was started."""
        self.close()
        self.reap()

    def is_spoilt(self):
        """Whether an earlier program ended or changed it while it waited."""
        self.reap()
        return self.status is not None or has_changed(self.pid)

    def discard(self):
        """Releases a program that was not started."""
        if self.status is None:
            os.kill(self.pid, _signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.orders)
        self.drop()

    def reap(self):
        """Reaps all ended children: the program, and orphans that were reparented to this process."""
        try:
            while True:
                pid, status, used = wait_for_child()
                if pid == 0:
                    stays = inherited | given_up
                    self.has_descendants = not stays or not own_children() <= stays
                    return
                if pid not in inherited and pid not in given_up:
                    self.seconds += used.ru_utime + used.ru_stime
                    self.largest = max(self.largest, used.ru_maxrss)
                inherited.discard(pid)
                given_up.discard(pid)
                if pid == self.pid:
                    self.ended_at = time.monotonic()
                    self.has_ended_by_itself = not self.is_stopped
                    self.status = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        except ChildProcessError:
            self.has_descendants = False

    def stop(self, grace):
        self.reap()
        self.is_stopped = True
        self.kill_at = time.monotonic() + grace
        left_group = [pid for pid in self.descendants() if self.pid not in (pid, group_of(pid))]
        self.signal(_signal.SIGTERM)
        signal_each(left_group, _signal.SIGTERM)

    def signal(self, number):
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            # It has not made its group yet; once it was waited for, its number may be another's.
            if self.status is None:
                signal_each([self.pid], number)
        except PermissionError:
            pass

    def kill_all(self):
        self.killed_at = self.killed_at or time.monotonic()
        self.signal(_signal.SIGKILL)
        signal_each(self.descendants(), _signal.SIGKILL)
        # To look for these takes less time than a process needs that forks and ends in a loop.
        signal_each(left_children(), _signal.SIGKILL)

    def descendants(self):
        """It, and all that it has started."""
        return set(descendants(os.getpid())) - inherited - given_up

    def has_readers(self):
        """Whether a descendant works on what it reads: its stdin is a pipe or a socket that only such processes can write into.

        A background job is none (its stdin is empty), nor is the log of a server that continues. Linux only.
        """
        others = [Descriptors(pid) for pid in self.descendants()]
        readers = [each for each in others if each.stdin is not None]
        others = [each for each in others if each.stdin is None]
        # Processes that read the output of such a process also continue.
        while readers and others:
            others = [each for each in readers if any(other.may_feed(each) for other in others)]
            readers = [each for each in readers if each not in others]
        return bool(readers)

    def end_all(self):
        give_up_at = time.monotonic() + KILL_SECONDS
        while self.has_descendants and time.monotonic() < give_up_at:
            self.kill_all()
            if are_out_of_reach(left_children()):
                return
            time.sleep(0.005)
            self.reap()


def left_children():
    """Returns the children of a program: those that started after it, without the ones that could not be ended."""
    return own_children() - inherited - given_up


def own_children():
    try:
        return {int(pid) for pid in read_file("/proc/thread-self/children").split()}
    except OSError:
        return set(descendants(os.getpid(), 1))


def are_out_of_reach(pids):
    """Whether there are some, and all are processes of other users, to whom we can send no signal."""
    return bool(pids) and all(map(is_out_of_reach, pids))


def is_out_of_reach(pid):
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        pass
    return False


def signal_each(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except OSError:
            pass


class Descriptors:
    """The descriptors of a process. There are none if it has ended, or is another user's."""

    def __init__(self, pid):
        directory = "/proc/%d/fd/" % pid
        # None if it is neither a pipe nor a socket.
        self.stdin = None
        self.targets = set()
        try:
            names = os.listdir(directory)
            if "0" in names and is_pipe_or_socket(os.stat(directory + "0")):
                self.stdin = os.readlink(directory + "0")
            for name in names:
                self.targets.add(os.readlink(directory + name))
        except OSError:
            pass

    def may_feed(self, reader):
        """The two ends of a socket have different numbers: each that the reader does not have may be the other end."""
        if not is_socket(reader.stdin):
            return reader.stdin in self.targets
        return any(map(is_socket, self.targets - reader.targets))


def is_pipe_or_socket(status):
    return stat.S_ISFIFO(status.st_mode) or stat.S_ISSOCK(status.st_mode)


def is_socket(target):
    return target.startswith("socket:")


def group_of(pid):
    try:
        return os.getpgid(pid)
    except OSError:
        return None


def descendants(ancestor, depth=None):
    """Linux only: elsewhere there seem to be none. Without a depth all of them, with 1 its children."""
    children = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else []:
        if name.isdigit():
            try:
                # The name of a program, in parentheses, may hold anything.
                parent = int(read_file("/proc/" + name + "/stat").rpartition(b")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(name))
    found = children.get(ancestor, [])
    for pid in found if depth is None else []:
        found.extend(children.get(pid, []))
    return found


def count_oom_kills():
    for path in OOM_COUNTERS:
        try:
            content = read_file(path)
        except OSError:
            continue
        return dict(line.split()[:2] for line in content.splitlines()).get(b"oom_kill")
    return None


def read_file(path):
    """The bytes of a small file, such as one of the kernel, with half the system calls of a Python file."""
    fd = os.open(path, os.O_RDONLY)
    try:
        content = chunk = os.read(fd, CHUNK)
        while chunk:
            chunk = os.read(fd, CHUNK)
            content += chunk
        return content
    finally:
        os.close(fd)
