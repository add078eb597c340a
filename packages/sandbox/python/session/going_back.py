"""How a session goes back to a checkpoint: its copy continues, or a new Python takes its variables."""


def go_back(checkpoints, number, reloads):
    """
    Ends the running copy, restores the files, and lets the checkpoint take its place. Reports the outcome to the host with `g`. Nothing is
    ended when the checkpoint is not there.
    """
    keeper, checkpoint = checkpoints.keeper, checkpoints.all.get(number)
    if checkpoint is None:
        keeper.host.send(b"g", as_json({"way": "gone"}))
        return
    keeper.kill_branch()
    # The copy forks while the running copy ends, which takes as long.
    woken = Woken(checkpoint) if checkpoint.pid is not None and not reloads else None
    keeper.end_branch()
    known = {pid for pid, _ in checkpoint.known & started_at({pid for pid, _ in checkpoint.known})}
    end_processes(known, checkpoints.pids() | ({woken.pid} if woken is not None else set()))
    keeper.background, keeper.oom_kills = known, count_oom_kills()
    for later in [each for each in checkpoints.all if each > number]:
        checkpoints.drop(later)
    failed = checkpoints.store.restore(number)
    report = {
        "failed": None if failed is None else [os.path.relpath(path, keeper.settings["directory"]) for path in failed[:MOST_NAMES]],
        "running": commands_of(known),
    }
    keeper.count = checkpoint.count
    if checkpoint.pid is None:
        keeper.fork_branch()
        report["way"] = "empty"
    elif reloads:
        report.update(reload(checkpoints, checkpoint))
    else:
        report["way"] = "copy" if continue_in(keeper, checkpoint, woken) else "lost"
    report["kept"] = report["way"] == "copy" and checkpoint.pid is not None
    if not report["kept"]:
        checkpoints.drop(number)
    if keeper.branch is None:
        keeper.fork_branch()
    keeper.host.send(b"g", as_json(report))


class Woken:
    """A copy that is about to continue, or a fork of it, with new ways to the keeper."""

    def __init__(self, checkpoint):
        ways = [[end.detach() for end in _socket.socketpair()], *open_streams()]
        self.near, far = zip(*ways)
        self.control = Control(self.near[0])
        try:
            checkpoint.control.send(b"g", b"", far)
        except OSError:
            # Then the near ends have no other end.
            pass
        close_all(far)
        try:
            pid = int(answer_of(self.control, with_body=True))
        except (OSError, EOFError, ValueError):
            pid = None
        self.pid = pid if pid in own_children() else None

    def go_on(self):
        """Lets it continue, now that the files are there. Returns whether it does."""
        try:
            self.control.send(b"r")
            return self.pid is not None and answer_of(self.control) == b"g"
        except (OSError, EOFError):
            return False


def continue_in(keeper, checkpoint, woken):
    """Whether the session continues there."""
    pid, near = woken.pid, woken.near
    if not woken.go_on():
        close_all(near)
        keeper.checkpoints.end_copy(checkpoint)
        return False
    if pid == checkpoint.pid:
        # It is no checkpoint any more.
        os.close(checkpoint.control.fd)
        checkpoint.pid = checkpoint.control = None
    checkpoint.is_old = False
    keeper.take_over(Branch(pid, near[0], list(near[1:])))
    keeper.branch.is_empty = False
    return True


def reload(checkpoints, checkpoint):
    """Lets the copy write its variables into memory of this sandbox, and a new Python read them."""
    keeper = checkpoints.keeper
    fd = ctypes.pythonapi.memfd_create(b"variables", MFD_CLOEXEC)
    try:
        checkpoint.control.send(b"w", b"", [fd])
        body = answer_of(checkpoint.control, with_body=True)
        lost = body.decode("utf-8", "replace").split("\0") if body else []
    except (OSError, EOFError):
        lost = None
    checkpoints.end_copy(checkpoint)
    if lost is None:
        os.close(fd)
        return {"way": "lost"}
    keeper.fork_branch(fd)
    os.close(fd)
    keeper.branch.is_empty = False
    try:
        problem = answer_of(Control(keeper.branch.control.source), with_body=True)
    except (OSError, EOFError):
        problem = b"ended"
    if problem:
        keeper.end_branch()
        return {"way": "lost", "problem": problem.decode("utf-8", "replace")[:LONGEST_COMMAND]}
    return {"way": "reload", "lost": lost}


def answer_of(control, with_body=False):
    """Waits for a frame, which comes soon: nothing else can happen in this session meanwhile."""
    poll = select.poll()
    poll.register(control.fd, select.POLLIN)
    if not poll.poll(ANSWER_SECONDS * 1000):
        raise EOFError
    kind, body, _ = control.receive()
    return body if with_body else kind
