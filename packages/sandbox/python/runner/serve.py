"""The loop of a runner: one program after the other, until the host is gone."""

# Pause before the next fork, in seconds. The Linux kernel schedules the process that a write wakes on the writer's processor,
# because it expects the writer to wait next. A fork without a pause would delay the report of the program's end.
YIELD_SECONDS = 0.00002
# Time limit for output from processes that a program left behind, in seconds.
LATE_OUTPUT_SECONDS = 0.1
# Time limit for processes that read a program's output (`>(sort > sorted.txt)`) after its end, and the poll interval, in seconds.
READER_SECONDS, READER_POLL_SECONDS = 8, 0.02
# Idle timeout for a program's streams once all its visible processes are gone, in seconds.
QUIET_SECONDS = 0.25
# How many answers a program need not have taken before no more of its calls are read.
MOST_UNTAKEN = 32


def serve(host, wakeup):
    """
    Runs one program after the other, each in a child that was made before it was asked for. Returns in the children,
    with the ends of their pipes and the descriptors that are not theirs.
    """
    private, contents = [], {}
    helpers = len(inherited)
    # The next program is likely to be as the last one.
    program, has_tools, compiled = None, False, b""
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
        if kind == b"m":
            compiled = body
        if kind == b"b":
            if program is not None:
                program.discard()
            settings, source = body.split(b"\0", 1)
            # This one becomes the keeper of a session, and runs no programs.
            exec(code_of_session(source, compiled), globals())
            begin_session(host, wakeup, settings)
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
        command = next((part[1:] for part in variables if part.startswith(b">")), None)
        script, gate = content if command is not None and b"-" in variables else None, None
        if command is None and content is not None and (can_seal or b"-" in variables):
            variables.append(b"=%d" % len(content))
        else:
            content = None
        order = b"\0".join([path, directory, real_directory_of(path), *variables])
        try:
            if command is not None and not os.access(command, os.X_OK):
                # In a sandbox whose processes each have a separate file system, a newly started process may still see it.
                raise FileNotFoundError(2, os.strerror(2))
            os.chdir(directory)
            if script is not None:
                gate = GatedFile(path, script)
            while program is None or not program.begin(order, content or b""):
                if program is not None:
                    program.drop()
                    program = None
                program = fork_program(host, wakeup, has_tools)
                if isinstance(program, tuple):
                    return program
        except OSError as error:
            if gate is not None:
                gate.close()
            host.send(b"n", str(error.errno).encode() + b"\0" + error.strerror.encode())
            continue
        try:
            supervise(host, program, wakeup[0], gate or (b"" if content is None else b"bytes"))
        except HostGone:
            program.end_all()
            raise
        finally:
            if gate is not None:
                gate.close()
        program = None
        time.sleep(YIELD_SECONDS)


def code_of_session(source, compiled):
    """Returns the code object: the bytecode from the host if this version of Python compiled it, otherwise compiled from the source."""
    from _frozen_importlib_external import MAGIC_NUMBER
    from marshal import loads

    try:
        if compiled.startswith(MAGIC_NUMBER):
            return loads(memoryview(compiled)[len(MAGIC_NUMBER) :])
    except (ValueError, EOFError, TypeError):
        pass
    return compile(source, "fenced_session", "exec")


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


def open_wakeup():
    wakeup = os.pipe()
    for fd in wakeup:
        os.set_blocking(fd, False)
    _signal.set_wakeup_fd(wakeup[1])
    for number in (_signal.SIGCHLD, _signal.SIGIO):
        _signal.signal(number, lambda *_: None)
    return wakeup


def supervise(host, program, wakeup, source):
    """
    Passes on what a program writes until nothing of it is left, then reports its end. The source is a `GatedFile`, or what the
    report says of it.
    """
    gate = source if isinstance(source, GatedFile) else None
    oom_kills = count_oom_kills()
    fds, is_gone, is_end_told = [], False, False
    # What came in one piece with the program.
    handle_frames(host, program)
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
            # All writers have closed the pipe, except processes that received a descriptor over a socket.
            if not program.streams or (is_gone and not fds and not host.outbox):
                break
            is_gone = True
            wait_until = now + QUIET_SECONDS
        elif not program.is_stopped and now < program.ended_at + READER_SECONDS and program.has_readers():
            wait_until = now + READER_POLL_SECONDS
        else:
            # Processes that the program started may also end in time after SIGTERM.
            wait_until = program.kill_at if program.is_stopped else program.ended_at + LATE_OUTPUT_SECONDS
            if now >= wait_until or not (program.streams or program.is_stopped):
                program.kill_all()
                is_late = now >= max(program.killed_at, program.ended_at + LATE_OUTPUT_SECONDS) + KILL_SECONDS
                if is_late or are_out_of_reach(left_children()):
                    break
                wait_until = now + 0.05
        fds = ready(host, program, wakeup, wait_until)
        for fd in fds:
            if fd == wakeup:
                os.read(wakeup, CHUNK)
                if gate is not None:
                    gate.let(program.pid)
            elif fd == host.sink:
                host.flush()
            elif fd == program.answers:
                program.answer()
            elif fd == host.source:
                host.receive()
                handle_frames(host, program)
            else:
                pass_on(host, program, fd)
    program.close()
    oom = b"oom" if count_oom_kills() != oom_kills else b""
    by_itself = b"self" if program.has_ended_by_itself else b""
    if gate is not None:
        source = b"bytes" if gate.is_ours() else b"other"
    left = b""
    if program.has_descendants:
        left = b"left"
        # No later program waits for it.
        given_up.update(own_children() - inherited)
    # `ru_maxrss` is in bytes on macOS, and in KiB elsewhere.
    used = int(program.seconds * 1_000_000), program.largest * (1 if sys.platform == "darwin" else 1024)
    host.send(b"x", b"%d\0%s\0%s\0%s\0%s\0%d\0%d" % (program.status, oom, by_itself, source, left, *used))


def ready(host, program, wakeup, wait_until):
    poll = select.poll()
    poll.register(host.source, select.POLLIN)
    poll.register(wakeup, select.POLLIN)
    # While the host does not take what there is, the program waits in its own `write`.
    if host.outbox:
        poll.register(host.sink, select.POLLOUT)
    else:
        for fd, kind in program.streams.items():
            # A program that calls tools without reading the answers blocks in `write`.
            if kind != b"t" or len(program.untaken) < MOST_UNTAKEN:
                poll.register(fd, select.POLLIN)
    if program.untaken:
        poll.register(program.answers, select.POLLOUT)
    timeout = None if wait_until is None else max(0, (wait_until - time.monotonic()) * 1000)
    return [fd for fd, _ in poll.poll(timeout)]


def handle_frames(host, program):
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
