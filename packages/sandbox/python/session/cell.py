"""The cells of a session: each is compiled, runs in `__main__`, and ends with a report."""

# See `compile`. The second is in `ast` as well, which every start would have to import for it.
ONLY_AST, TOP_LEVEL_AWAIT = 0x400, 0x2000
CO_COROUTINE, FUTURE_FLAGS = 0x80, 0x1FE0000
# How much of an error is reported, in characters.
LONGEST_MESSAGE, LONGEST_ERROR = 8_192, 65_536
MOST_FRAMES = 200


class Session:
    """The state of a session beside the program's own."""

    def __init__(self, line, settings):
        self.line = line
        self.directory = settings["directory"]
        self.namespace = vars(sys.modules["__main__"])
        self.count = 0
        self.flags = TOP_LEVEL_AWAIT
        self.loop = None
        self.shown = Shown(self)
        self.can_ask = False
        # Number of questions so far.
        self.questions = 0
        self.tools = Tools(line)
        # The numbers of the cells, keyed by file name.
        self.files = {}
        # `In`.
        self.inputs = [""]
        self.namespace.update(In=self.inputs, Out=self.shown.values, _i="", _ii="", _iii="", _="", __="", ___="")

    def run(self, order, code):
        """Runs a cell, and returns its report."""
        self.count += not code.isspace()
        began = time.process_time()
        self.can_ask = order.get("asks", False)
        self.tools.offer(order.get("tools"))
        moved = enter_directory(self.directory)
        error = self.guarded(lambda: self.execute(code, order.get("path", "")))
        if not self.line.is_ours:
            # A fork of the cell that has come back: there is one session.
            end_fork(error)
        self.tools.is_cut |= isinstance(error, KeyboardInterrupt)
        report = self.report(error)
        flush_all()
        report["count"] = self.count
        report["cpu"] = time.process_time() - began
        report["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 if resource is not None else 0
        backend = backend_of_open_figures()
        if backend is not None:
            report["backend"] = backend
        if moved:
            report["moved"] = True
        return report

    def guarded(self, work):
        """Returns the error that ended the work. SIGINT reaches nothing but the work."""
        error = None
        interrupts = self.line.interrupts
        try:
            try:
                interrupts.forget()
                interrupts.release()
                work()
                self.shown.end_cell()
            except BaseException as raised:
                error = raised
            interrupts.hold()
        except BaseException as late:
            error = error or late
            interrupts.hold()
        return error

    def execute(self, code, path):
        if code.isspace():
            return
        name = path or "<cell %d>" % self.count
        self.files[name] = self.count
        self.remember(code)
        # Our own hooks hold unless the cell replaces them for itself.
        sys.displayhook = self.shown.value
        source = python_of(code, name, self.flags)
        linecache.cache[name] = len(source), None, source.splitlines(True), name
        tree = compile(source, name, "exec", self.flags | ONLY_AST, True)
        last = tree.body[-1:] if tree.body and type(tree.body[-1]).__name__ == "Expr" else []
        module = type(tree)(body=tree.body[: len(tree.body) - len(last)], type_ignores=[])
        parts = [compile(module, name, "exec", self.flags, True)] if module.body else []
        self.keep_features(parts)
        if last:
            # A statement `x;` shows nothing, as in IPython.
            is_quiet = rest_of(source, last[0]).lstrip().startswith(";")
            kind = (ast.Module(body=last, type_ignores=[]), "exec") if is_quiet else (ast.Interactive(body=last), "single")
            parts.append(compile(kind[0], name, kind[1], self.flags, True))
        for part in parts:
            self.evaluate(part)

    def evaluate(self, code):
        if code.co_flags & CO_COROUTINE:
            self.wait_for(eval(code, self.namespace))
        else:
            exec(code, self.namespace)

    def keep_features(self, parts):
        """`from __future__` holds for all later cells."""
        for part in parts:
            self.flags |= part.co_flags & FUTURE_FLAGS

    def wait_for(self, coroutine):
        """Top-level `await`: tasks of the loop rest between cells."""
        import asyncio

        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        task = self.loop.create_task(coroutine)
        try:
            self.loop.run_until_complete(task)
        except BaseException:
            if not task.done():
                task.cancel()
                self.loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
            raise

    def remember(self, code):
        names = self.namespace
        self.inputs.append(code.rstrip("\n"))
        names["_iii"], names["_ii"], names["_i"] = [*["", ""], *self.inputs][-4:-1]
        names["_i%d" % self.count] = self.inputs[-1]

    def report(self, error):
        if error is None:
            return {"exit": 0}
        if isinstance(error, SystemExit):
            return {"exit": exit_code_of(error.code)}
        return {"exit": 1, "error": show_error(self, error)}


def rest_of(source, node):
    """What follows a statement. Positions are in bytes of UTF-8."""
    line = source.splitlines()[node.end_lineno - 1].encode()
    return line[node.end_col_offset :].decode()


def enter_directory(directory):
    """Moves into the directory that is at the path now, when the one we are in was removed. Whether it did."""
    try:
        os.getcwd()
        return False
    except OSError:
        pass
    try:
        os.chdir(directory)
        return True
    except OSError:
        return False


def exit_code_of(value):
    """As Python ends a program: a text is printed, and a failure."""
    if value is None:
        return 0
    if isinstance(value, int):
        return value & 0xFF
    write_all(STDERR, ("%s\n" % (value,)).encode("utf-8", "backslashreplace"))
    return 1


def end_fork(error):
    if error is not None and not isinstance(error, SystemExit):
        write_all(STDERR, "".join(traceback.format_exception(type(error), error, error.__traceback__)).encode())
    flush_all()
    code = error.code if isinstance(error, SystemExit) else None if error is None else 1
    os._exit(0 if code is None else code & 0xFF if isinstance(code, int) else 1)


def show_error(session, error):
    """Writes the traceback from the cell on to stderr, and returns it as data."""
    flush_all()
    first = error.__traceback__
    while first is not None and first.tb_frame.f_code.co_filename not in session.files:
        first = first.tb_next
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, first
    try:
        told = traceback.TracebackException(type(error), error, first)
        leave_out_ours(told)
        text = "".join(told.format())
    except Exception:
        # An error whose `__str__` fails, for example.
        text = "%s: the text of this error cannot be read\n" % type(error).__name__
        told = None
    write_all(STDERR, text.encode("utf-8", "backslashreplace"))
    return {
        "name": type(error).__name__,
        "message": shortened(message_of(error), LONGEST_MESSAGE),
        "text": text if len(text) <= LONGEST_ERROR else "…" + text[1 - LONGEST_ERROR :],
        "traceback": [] if told is None else frames_of(session, error, told),
    }


def frames_of(session, error, told):
    frames = [frame_of(session, each) for each in told.stack[-MOST_FRAMES:]]
    if isinstance(error, SyntaxError) and error.filename in session.files:
        # The line that cannot be compiled is no frame.
        frames.append(place_of(session, error.filename, error.lineno, (error.text or "").strip()))
    return frames


def leave_out_ours(told):
    """Our functions below a cell, such as `input`, are no frames of the program."""
    told.stack[:] = [each for each in told.stack if each.filename != "fenced_session"]
    for other in (told.__cause__, told.__context__, *(getattr(told, "exceptions", None) or ())):
        if other is not None:
            leave_out_ours(other)


def frame_of(session, each):
    frame = place_of(session, each.filename, each.lineno, each.line)
    if each.name != "<module>":
        frame["function"] = each.name
    return frame


def place_of(session, file, line, code):
    number = session.files.get(file)
    if number == session.count:
        file = ""
    elif number is not None and file.startswith("<"):
        file = "cell %d" % number
    return {"file": file, "line": line or 0, "code": code or ""}


def message_of(error):
    try:
        message = error.msg if isinstance(error, SyntaxError) and error.msg else str(error)
        notes = getattr(error, "__notes__", None) or []
        return "\n".join([message, *map(str, notes)])
    except Exception:
        return ""


def flush_all():
    """What a cell has printed is read before its end is reported."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            # Closed, or replaced by something else.
            pass
    ctypes.pythonapi.fflush(None)


def write_all(fd, data):
    try:
        while data:
            data = data[os.write(fd, data) :]
    except OSError:
        # The cell has closed it.
        pass
