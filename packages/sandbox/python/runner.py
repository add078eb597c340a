"""The resident parent of a host's Python programs: it starts once, and every program is a fork of it.

With `--shared` and the number of the host's process it is the parent of such parents: for each connection of the host it
forks one, which is like one that was started, and has its stream over this connection.

One stream comes in (descriptor 0) and one goes out (descriptor 1). On both a frame is a letter, the length of what
follows as four bytes in big-endian order, and that many bytes; the parts of a frame are separated by NUL.

    from the host   r  path, working directory, NAME=value ...   run a program (without variables: in our environment;
                                                                 those behind a plus sign are added to it; behind an
                                                                 exclamation mark stands the source of a module `tools`;
                                                                 behind `>` each part of the command that runs the file,
                                                                 where it is not Python's; behind `@` each argument)
                    c  bytes                                     just before `r`: Python runs these as its program, in
                                                                 place of what is in the file by then (Linux)
                    a  bytes                                     for the program, from the other end of its tools
                    k  milliseconds                              end it: SIGTERM now, SIGKILL after that time
                    w  path ...                                  programs find these as they are now, with all below them
    to the host     h  version, name or number                   ready; when it is shared with the name of the socket to
                                                                 connect to, and over a connection with its process number
                    u  reason                                    this Python cannot do it
                    p  module, reason                            a module cannot be preloaded
                    o, e, t  bytes                               what the program wrote to stdout, to stderr and to its tools
                    k                                            it was asked to end
                    d                                            it has ended by itself, and the rest of its output follows
                    x  status, "oom" or nothing, "self" or nothing, "bytes" or nothing, "left" or nothing
                                                                 its exit code, or minus the signal that ended it; "self"
                                                                 when it had not been asked to end before; "bytes" when it
                                                                 ran the bytes of `c`; "left" when a process of it could
                                                                 not be ended
                    n  error number, reason                      it could not be started
                    s                                            not run: packages came or went since our start, or a
                                                                 program lowered what we cannot raise again; also when a
                                                                 program has changed one of those paths, as our last word;
                                                                 as the first, when a new interpreter would not be as we are
                    e  number, status                            shared: a fork with this process number has ended, and
                                                                 all that it left with it

A program must not be able to tell that it was forked and not started. So the child does not run it with `exec` from
some function of ours: it leaves all of them by an exception, and the function by which the interpreter reports that
exception is the C function by which it runs a file. No frame of ours is on the stack then, and what is printed for a
program that fails, and how it exits, is the interpreter's own doing.

Whatever a program left behind is ended before its end is reported. For that this process adopts the orphans among
its descendants (Linux), so that none is left when it has no children. As process 1 of a process table it adopts all orphans
there, and the kernel ends the others with it. It is not dumpable (prctl(2)), so no program can make it fork.
"""

import sys

# What we were started with has imported the one, and 3.13 and later the other for the sake of `-c` alone.
for name in ("gc", "linecache"):
    if list(sys.modules)[-1] == name:
        del sys.modules[name]
# Modules that a fresh interpreter has. Others that are imported here must not be there when a program begins.
modules_of_a_start = set(sys.modules)

import _signal
import _thread
import gc
import io
import os
import time

STDIN, STDOUT, STDERR = 0, 1, 2
CHUNK = 65536
# How long we rest before the next fork, in seconds. A kernel runs whom a write wakes on the processor of the writer, because
# it expects that one to wait next; as long as it forks instead, the host does not hear of the program's end.
COURTESY = 0.00002
# How long what a program left behind may go on writing after its end, in seconds.
AFTERGLOW = 0.1
# How long what read from a program may work on the rest (`>(sort > sorted.txt)`), and how often we look, in seconds.
READING, READING_EVERY = 8, 0.02
# How long its streams may be quiet, once everything that we can see of it is gone, before they are given up, in seconds.
QUIET = 0.25
# How long we try to end what does not go, in seconds. For another user's processes we do not wait.
PATIENCE = 2
# Where the kernel counts whom it has killed in our container for want of memory (cgroups 2 and 1). Outside of one there
# is no such file.
OOM_COUNTERS = "/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"
# How long we rest before the fork for the next connection, so that what the last one is for comes first, in seconds.
REST = 0.02
# How many answers a program need not have taken before no more of its calls are read.
MOST_UNTAKEN = 32
# See madvise(2), and the size of a large page (x86-64 and most others).
MADV_COLLAPSE, LARGE_PAGE = 25, 2 * 2**20
# See ioprio_set(2): the number of `ioprio_get` for processors of 64 bits, and its first argument.
IOPRIO_GET, IOPRIO_WHO_PROCESS = {"x86_64": 252, "aarch64": 31}, 1
# Files of /proc that root can write for another process, and that its forks inherit. The last is for CAP_SYS_NICE alone.
INHERITED_SETTINGS = "oom_score_adj", "coredump_filter", "timerslack_ns"
CAP_SYS_NICE = 23
# See memfd_create(2) and fcntl(2): no more seals, shrinking, growing or writing.
MFD_CLOEXEC, MFD_ALLOW_SEALING = 1, 2
F_ADD_SEALS, EVERY_SEAL = 1033, 1 | 2 | 4 | 8
# See prctl(2).
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36


class HostGone(Exception):
    """Nobody is left to run programs for."""


class BecomeProgram(BaseException):
    """Leaves every function of ours, in a child."""


class Host:
    """The two ends of the stream."""

    def __init__(self, source, sink):
        self.source = source
        self.sink = sink
        self.inbox = bytearray()
        self.outbox = bytearray()
        # Also while the host does not read, its words are heard.
        os.set_blocking(sink, False)

    def descriptors(self):
        return self.source, self.sink

    def receive(self):
        try:
            chunk = os.read(self.source, CHUNK)
        except BlockingIOError:
            return
        except ConnectionError:
            chunk = b""
        if not chunk:
            raise HostGone
        self.inbox += chunk

    def next_frame(self):
        size = 5 + int.from_bytes(self.inbox[1:5], "big")
        if len(self.inbox) < max(size, 5):
            return None
        kind, body = bytes(self.inbox[:1]), bytes(self.inbox[5:size])
        del self.inbox[:size]
        return kind, body

    def wait_for_frame(self):
        while True:
            frame = self.next_frame()
            if frame is not None:
                return frame
            poll = select.poll()
            poll.register(self.source, select.POLLIN)
            if self.outbox:
                poll.register(self.sink, select.POLLOUT)
            for fd, _ in poll.poll():
                if fd == self.source:
                    self.receive()
                else:
                    self.flush()

    def send(self, kind, body=b""):
        self.outbox += kind + len(body).to_bytes(4, "big") + body
        self.flush()

    def flush(self):
        try:
            while self.outbox:
                del self.outbox[: os.write(self.sink, self.outbox)]
        except BlockingIOError:
            pass
        except OSError:
            raise HostGone from None

    def send_last(self, kind, body):
        os.set_blocking(self.sink, True)
        self.send(kind, body)
        os._exit(1)


class Caller(Host):
    """The host of a fork server that waits for its connection: by then the first program is there."""

    def __init__(self, listener, taken):
        self.listener = listener
        # Tells our parent that another one has to wait now.
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
        if has_changed(0):
            restore_conditions()
        if state_of(files_of_start) != state_of_start or has_changed(0):
            self.send_last(b"s", b"")
        self.send(b"h", b"%s\0%d" % (version, os.getpid()))


class Program:
    """A child, where it learns what to run, and the read ends of its streams by the letter of their frames."""

    def __init__(self, pid, orders, streams, answers):
        self.pid = pid
        self.orders = orders
        self.streams = streams
        # Where a program with tools reads what came for it, and what it has not taken yet.
        self.answers = answers
        self.untaken = []
        self.status = None
        self.has_descendants = True
        self.ended_at = None
        self.is_stopped = False
        self.has_ended_by_itself = False
        self.kill_at = None

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
        """One that has ended before it began."""
        self.close()
        self.reap()

    def is_spoilt(self):
        """Whether an earlier program ended or changed it while it waited."""
        self.reap()
        return self.status is not None or has_changed(self.pid)

    def discard(self):
        """One that has not begun."""
        if self.status is None:
            os.kill(self.pid, _signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.orders)
        self.drop()

    def reap(self):
        """Waits for whatever has ended: the program, and orphans that became our children."""
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    stays = inherited | given_up
                    self.has_descendants = not stays or not own_children() <= stays
                    return
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
        self.signal(_signal.SIGKILL)
        signal_each(self.descendants(), _signal.SIGKILL)
        # To look for these takes less time than a process needs that forks and ends in a loop.
        signal_each(left_children(), _signal.SIGKILL)

    def descendants(self):
        """It, and all that it has started."""
        return set(descendants(os.getpid())) - inherited - given_up

    def has_readers(self):
        """Whether a descendant works on what it reads: its stdin is a pipe that only such processes can write into.

        A background job is none (its stdin is empty), nor is the log of a server that goes on. Linux only.
        """
        others = [pipes_of(pid) for pid in self.descendants()]
        readers = [each for each in others if 0 in each]
        others = [each for each in others if 0 not in each]
        # What such a process writes into goes on as well.
        while readers and others:
            others = [each for each in readers if any(each[0] in other.values() for other in others)]
            readers = [each for each in readers if each not in others]
        return bool(readers)

    def end_all(self):
        give_up_at = time.monotonic() + PATIENCE
        while self.has_descendants and time.monotonic() < give_up_at:
            self.kill_all()
            if are_out_of_reach(left_children()):
                return
            time.sleep(0.005)
            self.reap()


def left_children():
    """Those of a program: all but those that were there before, and those that could not be ended."""
    return own_children() - inherited - given_up


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


def pipes_of(pid):
    """The pipes of a process by their descriptors."""
    pipes = {}
    directory = "/proc/%d/fd/" % pid
    try:
        for name in os.listdir(directory):
            target = os.readlink(directory + name)
            if target.startswith("pipe:"):
                pipes[int(name)] = target
    except OSError:
        # It has ended, or it is another user's.
        pass
    return pipes


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
                with open("/proc/" + name + "/stat", "rb") as file:
                    # The name of a program, in parentheses, may hold anything.
                    parent = int(file.read().rpartition(b")")[2].split()[1])
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
            fd = os.open(path, os.O_RDONLY)
        except OSError:
            continue
        try:
            counts = dict(line.split()[:2] for line in os.read(fd, CHUNK).splitlines())
        finally:
            os.close(fd)
        return counts.get(b"oom_kill")
    return None


def attend(host, program, wakeup, source):
    """Passes on what a program writes until nothing of it is left, then reports its end."""
    oom_kills = count_oom_kills()
    fds, is_gone, is_end_told = [], False, False
    # What came in one piece with the program.
    hear(host, program)
    while True:
        program.reap()
        if program.has_ended_by_itself and not is_end_told and (program.streams or program.has_descendants):
            is_end_told = True
            host.send(b"d")
        now = time.monotonic()
        if program.status is None:
            wait_until = program.kill_at
            if wait_until is not None and now >= wait_until:
                program.kill_all()
                wait_until = now + 0.05
        elif not program.has_descendants:
            # Nobody can write any more, except whoever was sent a descriptor.
            if not program.streams or (is_gone and not fds and not host.outbox):
                break
            is_gone = True
            wait_until = now + QUIET
        elif not program.is_stopped and now < program.ended_at + READING and program.has_readers():
            wait_until = now + READING_EVERY
        else:
            # What it has started may end in time as well, if it is asked to.
            wait_until = program.kill_at if program.is_stopped else program.ended_at + AFTERGLOW
            if now >= wait_until or not (program.streams or program.is_stopped):
                program.kill_all()
                is_late = now >= max(wait_until, program.ended_at + AFTERGLOW) + PATIENCE
                if is_late or are_out_of_reach(left_children()):
                    break
                wait_until = now + 0.05
        fds = ready(host, program, wakeup, wait_until)
        for fd in fds:
            if fd == wakeup:
                os.read(wakeup, CHUNK)
            elif fd == host.sink:
                host.flush()
            elif fd == program.answers:
                program.answer()
            elif fd == host.source:
                host.receive()
                hear(host, program)
            else:
                pass_on(host, program, fd)
    program.close()
    oom = b"oom" if count_oom_kills() != oom_kills else b""
    by_itself = b"self" if program.has_ended_by_itself else b""
    left = b""
    if program.has_descendants:
        left = b"left"
        # No later program waits for it.
        given_up.update(own_children() - inherited)
    host.send(b"x", b"%d\0%s\0%s\0%s\0%s" % (program.status, oom, by_itself, source, left))


def ready(host, program, wakeup, wait_until):
    poll = select.poll()
    poll.register(host.source, select.POLLIN)
    poll.register(wakeup, select.POLLIN)
    # While the host does not take what there is, the program waits in its own `write`.
    if host.outbox:
        poll.register(host.sink, select.POLLOUT)
    else:
        for fd, kind in program.streams.items():
            # One that calls and does not read waits in its own `write`.
            if kind != b"t" or len(program.untaken) < MOST_UNTAKEN:
                poll.register(fd, select.POLLIN)
    if program.untaken:
        poll.register(program.answers, select.POLLOUT)
    timeout = None if wait_until is None else max(0, (wait_until - time.monotonic()) * 1000)
    return [fd for fd, _ in poll.poll(timeout)]


def hear(host, program):
    frame = host.next_frame()
    while frame is not None:
        kind, body = frame
        if kind == b"k":
            host.send(b"k")
            program.stop(int(body) / 1000)
        elif kind == b"a" and program.answers is not None:
            program.untaken.append(body)
            program.answer()
        frame = host.next_frame()


def pass_on(host, program, fd):
    if host.outbox:
        return
    chunk = os.read(fd, CHUNK)
    if chunk:
        host.send(program.streams[fd], chunk)
    else:
        os.close(fd)
        del program.streams[fd]


def preload(host, names):
    watch = SeedWatch()
    if "random" in sys.modules:
        watch.begin(sys.modules["random"])
    elif names:
        sys.meta_path.insert(0, watch)
    for name in names:
        try:
            if os.path.isabs(name):
                run_beforehand(name)
            else:
                __import__(name)
        except BaseException as error:
            reason = "%s: %s" % (type(error).__name__, error)
            host.send_last(b"p", name.encode() + b"\0" + reason.encode("utf-8", "replace"))
    return watch.end()


class SeedWatch:
    """Notes generators of random numbers that preloaded modules seed from the system: copies of them would agree."""

    def __init__(self):
        self.generators = {}
        self.random = self.seed = self.setstate = None

    def find_spec(self, name, path=None, target=None):
        if name != "random":
            return None
        sys.meta_path.remove(self)
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                spec.loader = WatchedLoader(spec.loader, self)
                return spec
        return None

    def begin(self, random):
        self.random, self.seed, self.setstate = random, random.Random.seed, random.Random.setstate

        def seed(generator, *values, **options):
            self.note(generator, [*values[:1], options.get("a")][0] is None)
            return self.seed(generator, *values, **options)

        def setstate(generator, state):
            self.note(generator, False)
            return self.setstate(generator, state)

        random.Random.seed, random.Random.setstate = seed, setstate

    def note(self, generator, is_of_system):
        self.generators.pop(id(generator), None)
        if is_of_system:
            self.generators[id(generator)] = generator

    def end(self):
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        if self.random is not None:
            self.random.Random.seed, self.random.Random.setstate = self.seed, self.setstate
        return list(self.generators.values())


class WatchedLoader:
    """Begins the watch once a module was executed, and leaves no trace in the module."""

    def __init__(self, loader, watch):
        self.loader = loader
        self.watch = watch

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        self.watch.begin(module)


def run_beforehand(path):
    """A file that a program will run: it finds what was imported here."""
    with open(path, "rb") as file:
        exec(compile(file.read(), path, "exec"), {"__name__": "beforehand", "__file__": path})


def places_of_packages():
    site = sys.modules.get("site")
    return [] if site is None else site.getsitepackages() + [site.getusersitepackages()]


def state_of(places):
    def changed_at(place):
        try:
            # Unlike the time of modification, no program can set it.
            return os.stat(place).st_ctime_ns
        except OSError:
            return None

    return [changed_at(place) for place in places]


def contents_of(paths, most=None):
    """What is there, and below it as far as it is not mounted; when there is more than that many things, some of it."""
    contents = {}
    directories = []
    for path in paths:
        try:
            status = os.lstat(path)
        except OSError:
            continue
        contents[path] = state_of_directory(path, status)
        directories.append((path, status.st_dev))
    while directories:
        path, device = directories.pop()
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    status = entry.stat(follow_symlinks=False)
                    is_directory = entry.is_dir(follow_symlinks=False)
                    if status.st_dev != device:
                        contents[entry.path] = None
                    elif is_directory:
                        contents[entry.path] = state_of_directory(entry.path, status)
                        directories.append((entry.path, device))
                    else:
                        contents[entry.path] = status.st_ino, status.st_ctime_ns
                    if most is not None and len(contents) > most:
                        return contents
        except NotADirectoryError:
            with open(path, "rb") as file:
                contents[path] = file.read()
        except OSError as error:
            contents[path] = error.errno
    return contents


def state_of_directory(path, status):
    """Without its times, which change with every temporary file. A file's own time tells of its attributes, too."""
    try:
        names = os.listxattr(path, follow_symlinks=False)
        attributes = [(name, os.getxattr(path, name, follow_symlinks=False)) for name in names]
    except (AttributeError, OSError):
        attributes = []
    return status.st_mode, status.st_uid, attributes


def conditions_of(pid):
    """What programs can change of another process of their user: niceness, scheduling, affinity, limits, settings."""
    policy = (os.sched_getscheduler(pid), os.sched_getparam(pid)) if has_policy else None
    processors = os.sched_getaffinity(pid) if has_affinity else None
    values = [resource.prlimit(pid, limit) for limit in limits]
    return os.getpriority(os.PRIO_PROCESS, pid), policy, processors, values, settings_of(pid)


def settings_of(pid):
    """These are not set back: where a program has changed them, a new interpreter is started."""

    def value_of(name):
        try:
            with open("/proc/%s/%s" % (pid or "self", name), "rb") as file:
                return file.read()
        except OSError:
            return None

    priority = None if ioprio_get is None else ctypes.pythonapi.syscall(ioprio_get, IOPRIO_WHO_PROCESS, pid)
    return priority, [value_of(name) for name in inherited_settings]


def find_inherited_settings():
    if os.geteuid() != 0:
        return ()
    try:
        with open("/proc/self/status", "rb") as file:
            capabilities = int(file.read().partition(b"CapEff:")[2].split(None, 1)[0], 16)
    except (OSError, IndexError):
        capabilities = 0
    return INHERITED_SETTINGS if capabilities >> CAP_SYS_NICE & 1 else INHERITED_SETTINGS[:-1]


def has_changed(pid):
    try:
        return conditions is not None and conditions_of(pid) != conditions
    except OSError:
        # Not every system shows them of others. A fork has those of its parent.
        return pid != 0 and has_changed(0)


def restore_conditions():
    niceness, policy, processors, values, _ = conditions
    attempts = [(os.setpriority, os.PRIO_PROCESS, 0, niceness)]
    if policy is not None:
        attempts.append((os.sched_setscheduler, 0, *policy))
    if processors is not None:
        attempts.append((os.sched_setaffinity, 0, processors))
    attempts += [(resource.prlimit, 0, limit, value) for limit, value in zip(limits, values)]
    for attempt, *arguments in attempts:
        try:
            attempt(*arguments)
        except (OSError, ValueError):
            # Without rights some of it can only be lowered.
            pass


def serve(host, wakeup):
    """
    Runs one program after the other, each in a child that was made before it was asked for. Returns in the children,
    with the ends of their pipes and the descriptors that are not theirs.
    """
    private, contents = [], {}
    helpers = len(inherited)
    # The next program is likely to be as the last one.
    program, has_tools = None, False
    while True:
        try:
            program = program or fork_program(host, wakeup, has_tools)
        except OSError:
            # Then it is tried again when it is needed.
            pass
        if isinstance(program, tuple):
            return program
        if contents_of(private, len(contents)) != contents:
            # What a program left there goes with us, and takes memory until then.
            host.send_last(b"s", b"")
        kind, body = host.wait_for_frame()
        content = None
        if kind == b"c":
            content = body
            kind, body = host.wait_for_frame()
        if kind == b"w":
            private = body.split(b"\0")
            contents = contents_of(private)
        if kind != b"r":
            # To end a program that has ended.
            continue
        path, directory, *variables = body.split(b"\0")
        has_tools = any(variable.startswith(b"!") for variable in variables)
        # While the fork that waits has what we had at our start, what we have does not matter.
        if program is not None and (program.is_spoilt() or has_tools != (program.answers is not None)):
            program.discard()
            program = None
        if program is None and has_changed(0):
            restore_conditions()
        # An earlier program could stop or end the helper of its network, and take its limits.
        signal_each(inherited, _signal.SIGCONT)
        is_spoilt = len(inherited) < helpers or any(map(has_changed, inherited))
        is_spoilt = is_spoilt or (program is None and has_changed(0))
        if is_spoilt or state_of(files_of_site) != state_of_site:
            host.send(b"s")
            continue
        if content is not None and can_seal:
            variables.append(b"=%d" % len(content))
        else:
            content = None
        order = b"\0".join([path, directory, real_directory_of(path), *variables])
        command = next((part[1:] for part in variables if part.startswith(b">")), None)
        try:
            if command is not None and not os.access(command, os.X_OK):
                # Where each process sees files of its own, it may be there for one that is started.
                raise FileNotFoundError(2, os.strerror(2))
            os.chdir(directory)
            while program is None or not program.begin(order, content or b""):
                if program is not None:
                    program.drop()
                    program = None
                program = fork_program(host, wakeup, has_tools)
                if isinstance(program, tuple):
                    return program
        except OSError as error:
            host.send(b"n", str(error.errno).encode() + b"\0" + error.strerror.encode())
            continue
        try:
            attend(host, program, wakeup[0], b"" if content is None else b"bytes")
        except HostGone:
            program.end_all()
            raise
        program = None
        time.sleep(COURTESY)


def real_directory_of(path):
    """As `os.path.realpath` would find it, but from the kernel where it knows; changes our own directory."""
    if not os.path.islink(path):
        try:
            os.chdir(os.path.dirname(path))
            return os.getcwdb()
        except OSError:
            pass
    return os.path.dirname(os.path.realpath(path))


def fork_program(host, wakeup, has_tools):
    pipes = []
    try:
        for _ in range(5 if has_tools else 3):
            pipes += os.pipe()
        pid = os.fork()
    except OSError:
        for fd in pipes:
            os.close(fd)
        raise
    orders_of_program, orders, out, out_of_program, err, err_of_program = pipes[:6]
    calls, calls_of_program, answers_of_program, answers = pipes[6:] or [None] * 4
    if pid == 0:
        ends = orders_of_program, calls_of_program, answers_of_program
        return ends, (out_of_program, err_of_program), [*host.descriptors(), *wakeup, *pipes]
    for fd in (orders_of_program, out_of_program, err_of_program):
        os.close(fd)
    streams = {out: b"o", err: b"e"}
    if has_tools:
        os.close(calls_of_program)
        os.close(answers_of_program)
        os.set_blocking(answers, False)
        streams[calls] = b"t"
    return Program(pid, orders, streams, answers)


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
        fds = [fd for fd, _ in poll.poll(REST * 1000 if is_due else None)]
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
                time.sleep(REST)
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
    give_up_at = time.monotonic() + PATIENCE
    strangers = own_children() - forks - given_up
    while strangers and not are_out_of_reach(strangers) and time.monotonic() < give_up_at:
        signal_each(strangers, _signal.SIGKILL)
        ended = [pid for pid in strangers if os.waitpid(pid, os.WNOHANG)[0] == pid]
        if not ended:
            time.sleep(0.001)
        strangers = own_children() - forks - given_up
    given_up.update(strangers)


def own_children():
    try:
        with open("/proc/thread-self/children", "rb") as file:
            return {int(pid) for pid in file.read().split()}
    except OSError:
        return set(descendants(os.getpid(), 1))


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


def find_files_of_site():
    """What decides what an interpreter does before its program: files that `site` reads and imports, and where they could appear."""
    places = places_of_packages()
    library = os.path.dirname(os.__file__)
    files = [sys.executable, os.path.join(sys.prefix, "pyvenv.cfg"), *places]
    for place in places:
        if os.path.isdir(place):
            files += [os.path.join(place, name) for name in os.listdir(place) if name.endswith(".pth")]
    for name in modules_of_a_start:
        file = getattr(sys.modules.get(name), "__file__", None)
        if isinstance(file, str) and os.path.dirname(file) != library:
            files.append(file)
    for directory in sys.path:
        if not directory.startswith(library) and directory not in places:
            for name in ("sitecustomize", "usercustomize"):
                files += [os.path.join(directory, name), os.path.join(directory, name + ".py")]
    return files


def find_files_of_start():
    """Those, and files of preloaded modules."""
    files = [vars(module).get("__file__") for module in sys.modules.values() if isinstance(module, type(sys))]
    return [file for file in files if isinstance(file, str)] + files_of_site


def relative_variable():
    """The name of a variable whose relative path leads elsewhere in the directory of a program; `None` where there is none."""
    if sys.flags.ignore_environment:
        return None
    for name in ("PYTHONPATH", "PYTHONUSERBASE"):
        value = os.environ.get(name)
        if value and not all(map(os.path.isabs, value.split(os.pathsep))):
            return name
    return None


def forget_imports():
    """
    Removes what the import system remembers of directories and archives that programs can change. A new interpreter looks
    at the packages and the library only once, too, and the former are watched.
    """
    places = (os.path.dirname(os.__file__), *places_of_packages())
    for path in list(sys.path_importer_cache):
        is_watched = any(path == place or path.startswith(place + os.sep) for place in places)
        if not is_watched and not is_archive_of_library(path):
            del sys.path_importer_cache[path]
    archives = getattr(sys.modules.get("zipimport"), "_zip_directory_cache", None)
    if archives is not None:
        archives.clear()


def is_archive_of_library(path):
    """Which is nearly never there, and the first place of every search."""
    return os.path.basename(path) == "python%d%d.zip" % sys.version_info[:2] and path.startswith(sys.base_prefix)


def open_wakeup():
    wakeup = os.pipe()
    for fd in wakeup:
        os.set_blocking(fd, False)
    _signal.set_wakeup_fd(wakeup[1])
    _signal.signal(_signal.SIGCHLD, lambda *_: None)
    return wakeup


def become(ends, outputs, descriptors):
    """Makes this child what a new interpreter is that was given the file of a program."""
    for descriptor, number in zip(outputs, (STDOUT, STDERR)):
        os.dup2(descriptor, number)
    for descriptor in descriptors:
        if descriptor not in ends:
            os.close(descriptor)
    _signal.set_wakeup_fd(-1)
    _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
    if prctl is not None:
        prctl(PR_SET_DUMPABLE, 1)
        prctl(PR_SET_PDEATHSIG, _signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
    reopen_null()
    refresh_modules()
    rehearse()
    gc.collect()
    sys.modules["__main__"] = main_module()
    set_collector_back()
    take_order(*ends)
    sys.excepthook = run_file


def reopen_null():
    """Flags and locks of an open file are shared with all forks that have it. The path could lead to another file by now."""
    try:
        null = os.open("/proc/self/fd/%d" % STDIN, os.O_RDONLY)
    except OSError:
        null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, STDIN)
    os.close(null)


def refresh_modules():
    """What they remember of the time when they were loaded. `random` sees to it itself."""
    for generator in generators:
        generator.seed()
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()
    threading = sys.modules.get("threading")
    if hasattr(threading, "Thread") and hasattr(threading.Thread, "_set_native_id"):
        threading.main_thread()._set_native_id()
        # A fork loses the entry of the main thread (up to 3.12), which is seen at the end.
        lock, locks = getattr(threading.main_thread(), "_tstate_lock", None), getattr(threading, "_shutdown_locks", None)
        if lock is not None and isinstance(locks, set):
            locks.add(lock)
    multiprocessing = sys.modules.get("multiprocessing.process")
    if hasattr(multiprocessing, "current_process"):
        multiprocessing.current_process().authkey = os.urandom(32)


def set_collector_back():
    """To where it is at the start of a program: in which order cycles are freed at the end depends on it."""
    young, middle, old = counts_of_a_start
    for generation, count in ((1, old), (0, middle)):
        for _ in range(count):
            gc.collect(generation)
    launch.ballast = [[] for _ in range(young - gc.get_count()[0])]


def rehearse():
    """
    Runs an empty program, and writes to what every program writes to at its beginning and end. A page of memory that
    parent and child share is copied at the first write, which takes most of a short program's time: so it is done while
    nobody waits.
    """
    __builtins__.copy()
    exec(compile("0", "", "exec"), {})
    try:
        run_file(None, None, None)
    except SystemExit:
        pass
    launch.prepare(last_functions)


def take_order(orders, calls, answers):
    def read(size):
        received = bytearray()
        while len(received) < size:
            chunk = os.read(orders, size - len(received))
            if not chunk:
                os._exit(0)
            received += chunk
        return bytes(received)

    path, directory, directory_of_path, *variables = read(int.from_bytes(read(4), "big")).split(b"\0")
    added = [variable[1:] for variable in variables if variable.startswith(b"+")]
    tools = [variable[1:] for variable in variables if variable.startswith(b"!")]
    command = [part[1:] for part in variables if part.startswith(b">")]
    arguments = [part[1:] for part in variables if part.startswith(b"@")]
    sizes = [int(part[1:]) for part in variables if part.startswith(b"=")]
    variables = [variable for variable in variables if variable[:1] not in (b"+", b"!", b">", b"@", b"=")]
    launch.content = read(sizes[0]) if sizes else None
    os.close(orders)
    # Not before: who looks from outside sees by it that a program runs.
    os.setsid()
    os.chdir(directory)
    if command:
        become_other([*command, path, *arguments], directory, variables, added)
    launch.path = path
    sys.argv = [os.fsdecode(part) for part in (path, *arguments)]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv = [sys.orig_argv[0], *sys.argv]
    if has_directory_on_path:
        sys.path[0] = os.fsdecode(directory_of_path)
    if has_directory_in_environment and not variables:
        os.environb[b"PWD"] = directory
    multiprocessing = sys.modules.get("multiprocessing.process")
    if multiprocessing is not None:
        multiprocessing.ORIGINAL_DIR = os.fsdecode(directory)
    if variables:
        os.environ.clear()
        for name, _, value in (variable.partition(b"=") for variable in variables):
            os.environb[name] = value
        time.tzset()
    for name, _, value in (variable.partition(b"=") for variable in added):
        os.environb[name] = value
    matplotlib = sys.modules.get("matplotlib") if added else None
    if hasattr(matplotlib, "rcParams"):
        # One that was preloaded has read it already.
        matplotlib.rcParams["backend"] = os.environ.get("MPLBACKEND")
    for source in tools:
        # Before those that look for files: a file of this name is another module, and so is one that was preloaded.
        sys.modules.pop("tools", None)
        sys.meta_path.insert(0, ToolsFinder(source, calls, answers))


def become_other(command, directory, variables, added):
    """Executes another program than Python, in the environment that it would have if it had been started instead of us."""
    environment = environment_of_start()
    if variables:
        environment = dict(variable.split(b"=", 1) for variable in variables)
    elif has_directory_in_environment:
        environment[b"PWD"] = directory
    environment.update(variable.split(b"=", 1) for variable in added)
    # Python ignores these, and what is ignored stays so.
    for name in ("SIGPIPE", "SIGXFSZ"):
        if hasattr(_signal, name):
            _signal.signal(getattr(_signal, name), _signal.SIG_DFL)
    try:
        os.execve(command[0], command, environment)
    except OSError as error:
        os.write(STDERR, b"%s: %s\n" % (command[0], os.fsencode(error.strerror)))
        os._exit(126)


def environment_of_start():
    """Without what Python (`LC_CTYPE`), `sitecustomize` and preloaded modules have added."""
    try:
        with open("/proc/self/environ", "rb") as file:
            variables = file.read().split(b"\0")
    except OSError:
        return dict(os.environb)
    return dict(variable.split(b"=", 1) for variable in variables if b"=" in variable)


def main_module():
    """
    Like the first one, and like nothing else that was there when objects were frozen it is a new one: only so does the
    collector free what a program left in it.
    """
    module = type(sys)("__main__")
    vars(module).update(names_of_main)
    if "__annotations__" in names_of_main:
        module.__annotations__ = {}
    return module


class ToolsFinder:
    """Makes the module `tools` when a program imports it, which takes longer than the rest of a short program that does not."""

    def __init__(self, source, calls, answers):
        self.source = source
        self.descriptors = calls, answers
        # At the end of a program, no global name of this file remains.
        self.new_spec, self.compile, self.run, self.builtins = type(sys.__spec__), compile, exec, __builtins__

    def find_spec(self, name, path=None, target=None):
        return self.new_spec(name, self) if name == "tools" else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__builtins__ = self.builtins
        self.run(self.compile(self.source, "<tools>", "exec"), module.__dict__)
        module._connect(*self.descriptors)


class Launch:
    """Lets the interpreter run a file once the exception that is raised next has left all frames."""

    def __init__(self):
        self.path = b""
        # What is run in place of what is in the file. At the rehearsal it is not empty, so that `sealed` writes.
        self.content = b"\n" if can_seal else None
        # Not always the interpreter's: `sitecustomize` or a preloaded module may have set another.
        self.excepthook = sys.excepthook
        # int PyRun_SimpleFileEx(FILE *file, const char *path, int closes_file) has three arguments as
        # `sys.excepthook` has. They are made into others just before the call, by functions that have returned then.
        run_file.argtypes = [Argument(self.open), Argument(lambda _: self.path), Argument(lambda _: 1)]
        self.prepare([])

    def prepare(self, functions):
        """
        Sets the function that receives the status of the file. It consists of C functions only, because a trace or profile
        function of the program sees every other one. It compares the status with each item: a failure is found, and leaves in
        the way that the interpreter has for it: exit code 1, or SIGINT. Success is not found, and exits. Before that it calls the
        functions, which return `None`.
        """
        calls = [itertools.starmap(function, [()]) for function in functions]
        if depth is not None and hasattr(ctypes.pythonapi, "Py_EnterRecursiveCall"):
            enter = ctypes.PYFUNCTYPE(None, ctypes.c_char_p)(address_of("Py_EnterRecursiveCall"))
            calls.append(map(enter, [b""]))
        run_file.restype = partial(contains, itertools.chain(*calls, [-1], map(sys.exit, [0])))

    def open(self, _):
        if self.content is not None:
            file = open_descriptor(sealed(self.content), b"rb")
        elif self.path:
            file = open_file(self.path, b"rb")
        else:
            # An earlier program may have put something else where the null device was.
            file = open_descriptor(os.dup(STDIN), b"rb")
        if not file:
            self.cannot_open()
        # What the report of our own exception has set.
        sys.excepthook = self.excepthook
        if self.path:
            del self.excepthook, self.content
        for name in ("last_type", "last_value", "last_traceback", "last_exc"):
            if hasattr(sys, name):
                delattr(sys, name)
        shift_depth(-1)
        return ctypes.c_void_p(file)

    def cannot_open(self):
        if self.content is not None:
            os.write(STDERR, b"%s cannot be run: there is no memory or no descriptor left for it.\n" % self.path)
            os._exit(2)
        try:
            open(self.path, "rb")
        except OSError as error:
            text = "%s: can't open file %r: [Errno %d] %s\n"
            message = text % (sys.executable, os.fsdecode(self.path), error.errno, error.strerror)
            os.write(STDERR, os.fsencode(message))
        os._exit(2)


def sealed(content):
    """A descriptor to read this from, of a file in memory that no process can write to; a bad one where there is no memory."""
    fd = memfd_create(b"program", MFD_CLOEXEC | MFD_ALLOW_SEALING)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(fd, rest) :]
        if ctypes.pythonapi.fcntl(fd, F_ADD_SEALS, EVERY_SEAL) != 0:
            return -1
        os.lseek(fd, 0, os.SEEK_SET)
    except OSError:
        return -1
    return fd


def find_memfd_create():
    """`None` where the system, or its C library, has no files in memory that can be sealed."""
    global memfd_create, can_seal
    memfd_create = getattr(ctypes.pythonapi, "memfd_create", None)
    fd = -1 if memfd_create is None else sealed(b"")
    can_seal = fd >= 0
    if can_seal:
        os.close(fd)


class Argument:
    def __init__(self, value_of):
        self.from_param = value_of


def reopen_streams():
    """
    As the interpreter makes them, for the descriptors that programs have: what they were told of a descriptor when they
    were made was true of another one. Nothing is written to them here, so one set does for all programs.
    """
    errors_of_ours = os.dup(STDERR)
    null_in, null_out = os.open(os.devnull, os.O_RDONLY), os.open(os.devnull, os.O_WRONLY)
    pipe = os.pipe()
    for descriptor, number in ((null_in, STDIN), (pipe[1], STDOUT), (pipe[1], STDERR)):
        os.dup2(descriptor, number)
    sys.stdin = sys.__stdin__ = reopened(sys.__stdin__)
    sys.stdout = sys.__stdout__ = reopened(sys.__stdout__)
    sys.stderr = sys.__stderr__ = reopened(sys.__stderr__)
    # What modules print while they are loaded is not for the host, and their complaints are ours.
    os.dup2(null_out, STDOUT)
    os.dup2(errors_of_ours, STDERR)
    for descriptor in (errors_of_ours, null_in, null_out, *pipe):
        os.close(descriptor)


def reopened(stream):
    fd, mode = stream.fileno(), stream.mode
    is_unbuffered = isinstance(stream.buffer, io.FileIO)
    binary = io.open(fd, mode + "b", 0 if is_unbuffered else -1, closefd=False)
    (binary if is_unbuffered else binary.raw).name = "<%s>" % ("stdin", "stdout", "stderr")[fd]
    text = io.TextIOWrapper(
        binary, stream.encoding, stream.errors, "\n", stream.line_buffering, stream.write_through
    )
    text.mode = mode
    return text


def collapse_pages():
    """
    Into large ones, as far as the kernel does (Linux 6.1): of those a fork copies one entry, and not one for each of their
    512 parts. That pays where preloaded modules take much memory.
    """
    collapse = ctypes.pythonapi.madvise
    collapse.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    try:
        with open("/proc/self/maps", "rb") as file:
            mapped = [line.split() for line in file]
    except OSError:
        return
    for extent, rights, _, _, _, *name in mapped:
        if rights == b"rw-p" and name in ([], [b"[heap]"]):
            start, end = (int(address, 16) for address in extent.split(b"-"))
            first = -(-start // LARGE_PAGE) * LARGE_PAGE
            for address in range(first, end - LARGE_PAGE + 1, LARGE_PAGE):
                collapse(address, LARGE_PAGE, MADV_COLLAPSE)


def find_depth():
    """
    Up to 3.11 a call of C counts towards the recursion limit, so the program would reach it one call too early. The
    counter lies behind four pointers' worth of the thread's state; it is believed if it counts.
    """
    if sys.version_info >= (3, 12):
        return None
    state = ctypes.pythonapi.PyThreadState_Get
    state.restype = ctypes.c_void_p
    counter = ctypes.c_int.from_address(state() + 4 * ctypes.sizeof(ctypes.c_void_p))

    def depth_inside():
        return counter.value

    before = counter.value
    step = depth_inside() - before
    after = counter.value
    return (counter, step) if before == after and abs(step) == 1 else None


def address_of(name):
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value


def shift_depth(calls):
    if depth is not None:
        counter, step = depth
        counter.value += calls * step


host = Host(os.dup(STDIN), os.dup(STDOUT))
host_id = None
if sys.argv[1:2] == ["--shared"]:
    host_id = int(sys.argv[2])
    del sys.argv[1:3]
try:
    if sys.implementation.name != "cpython":
        raise ImportError("it is %s, and only CPython can" % sys.implementation.name)
    if sys.version_info < (3, 8):
        raise ImportError("it is Python %d.%d, and 3.8 or later is needed" % sys.version_info[:2])
    if sys.flags.inspect:
        raise ImportError("PYTHONINSPECT is set")
    import ctypes
    import itertools
    import select
    from _functools import partial
    from _operator import contains

    if host_id is not None:
        import _socket

    try:
        import resource
    except ImportError:
        resource = None

    # Made from an address, a function does not refer to `ctypes`, which would otherwise outlive the program's modules.
    run_file = ctypes.PYFUNCTYPE(ctypes.c_int)(address_of("PyRun_SimpleFileEx"))
    # Still needed at the end of the program, when nothing else refers to it.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(run_file))
    open_file = ctypes.pythonapi.fopen
    open_descriptor = ctypes.pythonapi.fdopen
    open_file.restype = open_descriptor.restype = ctypes.c_void_p
    prctl = ctypes.pythonapi.prctl if sys.platform == "linux" else None
    if prctl is not None and prctl(PR_SET_CHILD_SUBREAPER, 1) != 0:
        raise OSError("the system does not let it adopt orphans")
    depth = find_depth()
    find_memfd_create()
    if relative_variable() is not None:
        raise ImportError("%s has a relative path, which each program would take for another directory" % relative_variable())
    os.fork, os.register_at_fork
except (ImportError, AttributeError, OSError, MemoryError) as error:
    host.send_last(b"u", str(error).encode("utf-8", "replace"))
names_to_preload, sys.argv = sys.argv[1:], [""]
for name in set(sys.modules) - modules_of_a_start:
    del sys.modules[name]
# Up to 3.9 a program that imports `atexit` anew replaces all exit functions, ours included.
import atexit

if "atexit" not in modules_of_a_start:
    del sys.modules["atexit"]

parent = os.getpid()
# Children that were not started here, such as the helper of a network: they stay.
inherited = own_children()
# Children that could not be ended. Nobody waits for them, and their numbers are theirs until they are waited for.
given_up = set()
version = sys.version.split()[0].encode()
# With `-c` the first entry is the working directory; with a file it is the file's. `-P` leaves it out.
has_directory_on_path = sys.path[:1] == [""]
# What starts processes here may say where it does, as bubblewrap does.
has_directory_in_environment = os.environb.get(b"PWD") == os.getcwdb()
names_of_main = dict(vars(sys.modules["__main__"]))
if has_directory_on_path:
    del sys.path[0]
reopen_streams()
files_of_site = find_files_of_site()
state_of_site = state_of(files_of_site)
# The whole end of an interpreter: the last collection also finds objects from before the program, and no module is kept alive
# by this one or by its `ctypes`, to which C code refers. Exit functions run in reverse order, so these are the last. A program
# can call or remove them, so they are also called at the end of its file.
last_functions = [gc.unfreeze, globals().clear]
if "ctypes" not in modules_of_a_start:
    last_functions.append(vars(ctypes).clear)
for function in last_functions[::-1]:
    atexit.register(function)
generators = preload(host, names_to_preload)
if _thread._count() > 0:
    host.send_last(b"u", b"a module that was imported at its start has started a thread, which no fork would have")
launch = Launch()
if has_directory_on_path:
    sys.path.insert(0, "")
if prctl is not None:
    # Programs of the same user cannot look into our descriptors and memory.
    prctl(PR_SET_DUMPABLE, 0)
has_affinity = hasattr(os, "sched_getaffinity")
try:
    os.sched_getparam(0)
    has_policy = True
except (AttributeError, OSError):
    # musl has the functions, and they fail.
    has_policy = False
# Where there is no `prlimit`, no program can change those of another process.
limits = sorted({getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")})
if not hasattr(resource, "prlimit"):
    limits = []
has_64_bits = sys.platform == "linux" and sys.maxsize > 2**32
ioprio_get = IOPRIO_GET.get(os.uname().machine) if has_64_bits else None
inherited_settings = find_inherited_settings()
try:
    conditions = conditions_of(0)
except (OSError, ValueError):
    conditions = None
if host_id is not None:
    files_of_start = find_files_of_start()
    state_of_start = state_of(files_of_start)
forget_imports()
gc.collect()
gc.freeze()
trim = getattr(ctypes.pythonapi, "malloc_trim", None)
if trim is not None:
    # What only the start needed every program would copy, or give back at its end.
    trim(0)
if names_to_preload and sys.platform == "linux":
    collapse_pages()
wakeup = open_wakeup()
try:
    if host_id is None:
        host.send(b"h", version)
    else:
        host = fork_servers(host, wakeup)
        wakeup = open_wakeup()
    become(*serve(host, wakeup))
except (HostGone, KeyboardInterrupt):
    os._exit(0)
raise BecomeProgram
