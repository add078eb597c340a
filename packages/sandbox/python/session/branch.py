"""The running copy: a fork of the keeper in which cells run."""

import ast
import builtins
import getpass
import importlib
import json
import linecache
import traceback

# The session of this process, once it is a running copy.
session = None


def begin_branch(control, outputs, settings, memory=None):
    """Makes this fork of the keeper the running copy. Does not return: the interpreter ends as a program's does."""
    global session
    os.setsid()
    for descriptor, number in zip(outputs, (STDOUT, STDERR)):
        os.dup2(descriptor, number)
        os.close(descriptor)
    _signal.set_wakeup_fd(-1)
    for number in (_signal.SIGCHLD, _signal.SIGIO):
        _signal.signal(number, _signal.SIG_DFL)
    name_process(settings["name"])
    if prctl is not None:
        prctl(PR_SET_DUMPABLE, 1)
        prctl(PR_SET_PDEATHSIG, _signal.SIGKILL)
        if os.getppid() != settings["keeper"]:
            os._exit(1)
    reopen_null()
    refresh_modules()
    sys.stdout.reconfigure(line_buffering=True)
    sys.modules["__main__"] = main_module()
    take_settings(settings)
    interrupts = Interrupts()
    interrupts.hold()
    line = Line(control, interrupts)
    line.tools = outputs[2]
    session = Session(line, settings)
    session.copying = Copying(Control(control), settings["keeper"], (STDOUT, STDERR, line.tools))
    session.copying.state_beside = lambda: session_state(session)
    offer_names(settings)
    if memory is not None:
        line.send(b"g", take_over_variables(session, memory))
    serve_orders()
    raise SystemExit(0)


def take_settings(settings):
    os.chdir(settings["directory"])
    sys.argv = [""]
    if has_directory_in_environment:
        os.environb[b"PWD"] = os.fsencode(settings["directory"])
    os.environ.update(settings.get("variables", {}))
    if settings.get("figures"):
        sys.meta_path.insert(0, FiguresFinder(settings["figures"], settings["directory"]))
        if "matplotlib" in sys.modules:
            choose_backend({})


def offer_names(settings):
    """The names of IPython that a cell may use without an import."""
    builtins.display = display
    replace_input()
    module = type(sys)("fenced_session")
    vars(module).update(run_command=run_command, pip=pip, cd=cd)
    sys.modules["fenced_session"] = module
    sys.meta_path.insert(0, IPythonFinder())
    sys.meta_path.append(sys.meta_path[0].substitute)


def serve_orders():
    """Runs one cell after the other, until the session is to end."""
    while True:
        waits_since = time.monotonic()
        kind, body = session.line.wait_for_frame()
        if kind == b"c":
            session.copying.written.has_time = time.monotonic() > waits_since + PAUSE_SECONDS
            head, code = body.split(b"\0", 1)
            report = session.run(json.loads(head), code.decode("utf-8", "replace"))
            session.line.send(b"x", as_json(report))
        elif kind == b"y":
            make_copy(session)
        elif kind == b"q":
            session.line.send(b"q", as_json(describe_variables(session.namespace, HIDDEN_VARIABLES)))
        elif kind == b"e":
            session.line.interrupts.release()
            return
