"""The checkpoints of a session, as its keeper has them: sleeping copies of the running Python, and the files of each.

The host says when one is made (`y`), which one continues (`g`), and which are not needed any more (`u`).
"""

# How long the running copy, or a copy that is woken, may take to answer, in seconds: imports and a repair may take long.
ANSWER_SECONDS = 60


class Checkpoint:
    """One checkpoint. Without a copy it is an empty session."""

    def __init__(self, number, count, known):
        self.number, self.count = number, count
        # Processes that cells had started by then.
        self.known = known
        self.pid = self.control = None
        self.is_asked = self.is_old = False
        # What a copy lacks, as the running copy has said.
        self.lacks = {}


class Checkpoints:
    def __init__(self, keeper, settings):
        self.keeper = keeper
        self.settings = settings
        self.all = {}
        # Processes of checkpoints that were killed, until they are reaped.
        self.ending = set()
        # The checkpoint in progress, since when, and what is still to come from the running copy and from its copy.
        self.made, self.made_at, self.due = None, 0, set()
        self.store = None
        self.memory = Memory(self)

    def descriptors(self):
        found = {each.control.fd for each in self.all.values() if each.control is not None}
        if self.made is not None and self.made.control is not None:
            found.add(self.made.control.fd)
        return found if self.store is None else found | {self.store.contents.fd}

    def pids(self):
        return self.ending | {each.pid for each in self.all.values() if each.pid is not None}

    def obey(self, kind, order):
        """An order of the host."""
        if kind == b"y":
            self.make(order["number"], order["droppable"])
        elif kind == b"g":
            go_back(self, order["number"], order["reload"])
        elif kind == b"r":
            self.keep_files_again(order["number"])
            self.keeper.host.send(b"r")
        else:
            self.drop(order["number"])
            self.memory.measure()

    def is_due(self, fd):
        """Whether the copy that is being made speaks over this descriptor."""
        return "copy" in self.due and fd == self.made.control.fd

    def make(self, number, droppable):
        """Begins a checkpoint: files at once, and a copy when the running copy has anything to copy."""
        keeper = self.keeper
        try:
            if self.store is None:
                self.store = Store(self.settings["directory"], self.settings["file_bytes"], self.settings["files"])
            dropped = self.keep_files(number, droppable)
        except OSError as error:
            keeper.host.send(b"y", as_json({"number": number, "error": error.strerror}))
            return
        made = Checkpoint(number, keeper.count, started_at(keeper.processes_of_cells()))
        self.made, self.made_at, self.due = made, time.monotonic(), set()
        self.report = {"number": number, "dropped": dropped}
        branch = keeper.branch
        if branch is None or branch.is_empty:
            self.finish()
            return
        near, far = (each.detach() for each in _socket.socketpair())
        made.control, self.due = Control(near), {"lacks", "copy"}
        try:
            Control(branch.control.source).send(b"y", b"", [far])
        except OSError:
            self.fail("the running Python does not answer")
        finally:
            os.close(far)

    def keep_files_again(self, number):
        """The current files: a caller may have changed them since the block."""
        if number in self.all:
            self.store.renew_files(number)

    def keep_files(self, number, droppable):
        """Drops the oldest checkpoints where the budget has no room for new files."""
        dropped = []
        self.store.keep(number)
        while droppable and self.store.is_short:
            oldest = droppable.pop(0)
            self.drop(oldest)
            dropped.append(oldest)
            self.store.drop(number)
            self.store.keep(number)
        return dropped

    def take_lacks(self, body):
        """What the running copy says of the copy that it has made, or why it could not."""
        if "lacks" not in self.due:
            return
        self.due.discard("lacks")
        self.made.lacks = lacks = json.loads(body)
        if "error" in lacks:
            self.fail(str(lacks["error"]))
        else:
            self.finish()

    def hear_copy(self):
        """The copy that is being made is ready: it holds nothing of the running copy any more."""
        try:
            kind, body, _ = self.made.control.receive()
            pid = int(body)
        except (EOFError, OSError, ValueError):
            self.fail("the copy has ended")
            return
        if kind == b"j" and pid in own_children():
            self.made.pid = pid
            self.due.discard("copy")
            self.finish()

    def finish(self):
        if self.due:
            return
        made, self.made = self.made, None
        for each in self.all.values():
            self.age(each)
        self.all[made.number] = made
        self.keeper.host.send(b"y", as_json({**self.report, "lacks": made.lacks}))
        self.memory.unmeasured += 1
        self.memory.measure()

    def fail(self, reason):
        made, self.made, self.due = self.made, None, set()
        if made.control is not None:
            os.close(made.control.fd)
        self.store.drop(made.number)
        self.keeper.host.send(b"y", as_json({**self.report, "error": reason}))

    def age(self, checkpoint):
        """An older copy is killed before the running Python is, when memory runs out."""
        if checkpoint.control is not None and not checkpoint.is_old:
            checkpoint.is_old = True
            self.order(checkpoint, b"a")

    def order(self, checkpoint, kind, descriptors=()):
        try:
            checkpoint.control.send(kind, b"", descriptors)
            return True
        except OSError:
            return False

    def advance(self, now):
        if self.made is not None and self.due and now > self.made_at + ANSWER_SECONDS:
            # It hangs in a repair or in a function that runs before a fork.
            self.fail("the running Python did not answer")
            signal_each([self.keeper.branch.pid] if self.keeper.branch else [], _signal.SIGKILL)
        due_at = self.due_at()
        if self.made is None and due_at is not None and now >= due_at:
            self.memory.measure_some()

    def due_at(self):
        """When something is to be done, on the clock of `time.monotonic`: an answer is too late, or memory is to be measured."""
        if self.made is not None:
            return self.made_at + ANSWER_SECONDS
        if self.keeper.cell is not None:
            return None
        return self.memory.due_at()

    def died(self, pid):
        """Whether the process was a checkpoint, which is none any more."""
        self.ending.discard(pid)
        for each in list(self.all.values()):
            if each.pid == pid:
                each.pid = None
                self.drop(each.number)
                self.keeper.host.send(b"u", as_json({"number": each.number}))
                return True
        return False

    def branch_died(self):
        if self.made is not None:
            self.fail("the running Python has ended")

    def drop(self, number):
        checkpoint = self.all.pop(number, None)
        if checkpoint is None:
            return
        self.end_copy(checkpoint)
        self.store.drop(number)

    def end_copy(self, checkpoint):
        """Nothing has to wait for its end, because it sleeps."""
        control, pid, checkpoint.control, checkpoint.pid = checkpoint.control, checkpoint.pid, None, None
        if control is not None:
            os.close(control.fd)
        if pid is not None:
            signal_each([pid], _signal.SIGKILL)
            self.ending.add(pid)

    def end(self):
        for number in list(self.all):
            self.drop(number)
        for pid in self.ending:
            try:
                os.waitpid(pid, 0)
            except ChildProcessError:
                pass
        self.ending = set()

def started_at(pids):
    """The processes with the time of their start: a number may be used again."""
    found = set()
    for pid in pids:
        try:
            state, *values = read_file("/proc/%d/stat" % pid).rpartition(b")")[2].split()
            if state != b"Z":
                found.add((pid, values[18]))
        except (OSError, IndexError):
            pass
    return found
