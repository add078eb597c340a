"""What a session takes along when a copy of it continues, or when a new Python takes its variables."""

# Names that every session has.
HIDDEN_VARIABLES = frozenset(("In", "Out", "exit", "quit", "get_ipython"))


def make_copy(session):
    """Makes a checkpoint, in the running copy. Returns in the copy as well, once it is the running one."""
    line = session.line
    try:
        lacks = session.copying.make(line.received.pop(), session.namespace)
    except OSError as error:
        lacks = {"error": os.strerror(error.errno)}
    if lacks is None:
        line.renew()
    else:
        line.send(b"y", as_json(lacks))
    if lacks is None or "error" not in lacks:
        session.copying.written.copy(lambda: waiting_in(line.source) > 0)


def session_state(session):
    """The cells so far, for tracebacks and `Out`."""
    cells = {name: (number, "".join(linecache.cache[name][2])) for name, number in session.files.items() if name in linecache.cache}
    return {"count": session.count, "flags": session.flags, "cells": cells}


def take_over_variables(session, fd):
    """Returns what went wrong, in a new Python."""
    try:
        state = load_variables(fd, session.namespace)
        os.close(fd)
    except BaseException as error:
        return ("%s: %s" % (type(error).__name__, error)).encode("utf-8", "replace")
    session.count, session.flags = state["count"], state["flags"]
    for name, (number, source) in state["cells"].items():
        session.files[name] = number
        linecache.cache[name] = len(source), None, source.splitlines(True), name
    names, shown = session.namespace, session.shown
    if type(names.get("In")) is list:
        session.inputs[:] = names["In"]
        names["In"] = session.inputs
    if type(names.get("Out")) is dict:
        shown.values.update(names["Out"])
        names["Out"] = shown.values
    shown.last = [names.get(mark, "") for mark in ("_", "__", "___")]
    return b""
