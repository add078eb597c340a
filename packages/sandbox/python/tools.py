"""Functions of the host, for this program only: help(tools.NAME), tools.search("words"), tools.gather(call, ...)."""

from __future__ import annotations

# A tool may have the name of a built-in function, and then it stands in this module.
import builtins as _b
import json as _json
import os as _os
import sys as _sys


class ToolError(_b.Exception):
    """A tool failed, or the call was refused."""


class ToolNotFound(ToolError, _b.AttributeError):
    """The host has no tool of this name."""


class ToolArgumentError(ToolError, _b.TypeError, _b.ValueError):
    """The arguments do not fit the function, or JSON cannot carry them."""


class ToolDenied(ToolError):
    """The call was denied. The message is the reason."""


class _Unset:
    def __repr__(self):
        return "..."


class _Connection:
    """A stream of JSON lines. Each thread that waits for an answer also reads the answers of all other threads."""

    def __init__(self, calls, answers, max_bytes):
        import threading

        self.calls, self.answers, self.max_bytes = calls, answers, max_bytes
        self.owner = _os.getpid()
        self.sending, self.waiting = threading.Lock(), threading.Condition()
        self.received, self.inbox = {}, _b.bytearray()
        self.is_read, self.last = False, 0

    def call(self, tool, values, line):
        if _os.getpid() != self.owner:
            raise ToolError("only the program itself can call tools, and this is another process")
        try:
            text = _json.dumps(values, default=_encoded, allow_nan=False, separators=(",", ":"))
        except (_b.TypeError, _b.ValueError, _b.RecursionError) as error:
            raise ToolArgumentError("%s: %s" % (tool, error)) from error
        if _b.len(text) > self.max_bytes:
            raise ToolError("%s: the arguments are larger than %d bytes" % (tool, self.max_bytes))
        with self.waiting:
            self.last += 1
            number = self.last
        head = _json.dumps({"id": number, "tool": tool, "line": line}, separators=(",", ":"))
        message = ("%s,\"input\":%s}\n" % (head[:-1], text)).encode()
        with self.sending:
            try:
                while message:
                    message = message[_os.write(self.calls, message) :]
            except _b.OSError:
                raise ToolError("the host is gone") from None
        return self.answer_to(number)

    def answer_to(self, number):
        with self.waiting:
            while number not in self.received:
                if self.is_read:
                    self.waiting.wait()
                    continue
                self.is_read = True
                self.waiting.release()
                try:
                    answers = self.read()
                finally:
                    self.waiting.acquire()
                    self.is_read = False
                    self.waiting.notify_all()
                self.received.update(answers)
            return self.received.pop(number)

    def read(self):
        while b"\n" not in self.inbox:
            chunk = _os.read(self.answers, 65536)
            if not chunk:
                raise ToolError("the host is gone")
            self.inbox += chunk
        *lines, rest = self.inbox.split(b"\n")
        self.inbox = rest
        answers = [_json.loads(line, object_hook=_decoded) for line in lines]
        return {answer["id"]: answer for answer in answers}


def _encoded(value):
    if _b.isinstance(value, (_b.bytes, _b.bytearray, _b.memoryview)):
        import base64

        return {"$bytes": base64.b64encode(value).decode()}
    if _b.isinstance(value, (_b.set, _b.frozenset, _b.tuple)):
        return _b.list(value)
    for name in ("to_dict", "tolist", "isoformat"):
        convert = _b.getattr(value, name, None)
        if convert is not None:
            return convert(orient="records") if _b.hasattr(value, "columns") else convert()
    raise _b.TypeError("%s is no JSON value and no bytes: pass what it consists of" % _b.type(value).__name__)


def _decoded(value):
    if _b.len(value) == 1 and _b.isinstance(value.get("$bytes"), _b.str):
        import base64

        return base64.b64decode(value["$bytes"])
    return value


def _tool(function):
    """The function, whose callers can catch wrong arguments as a ToolError."""

    def call(*values, **named):
        try:
            return function(*values, **named)
        except _b.TypeError as error:
            # Raised in front of the function: its arguments do not fit.
            if _b.isinstance(error, ToolError) or error.__traceback__.tb_next is not None:
                raise
            raise ToolArgumentError(_b.str(error)) from None

    for name in ("__name__", "__qualname__", "__doc__", "__module__"):
        _b.setattr(call, name, _b.getattr(function, name))
    call.__wrapped__ = function
    return call


def __getattr__(name):
    raise ToolNotFound("there is no tool %r" % name)


def _call(tool, arguments):
    frame = _sys._getframe(3)
    values = {name: value for name, value in arguments.items() if value is not _unset}
    answer = _connection.call(tool, values, frame.f_lineno)
    error = answer.get("error")
    if error is None:
        return answer.get("output")
    kind = ToolDenied if error["kind"] == "denied" else ToolError
    raise kind("%s: %s" % (tool, error["message"]))


def gather(*calls):
    """Makes calls at the same time, each a function without arguments, and returns their results in order."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_b.min(_b.len(calls), 8) or 1) as pool:
        return [each.result() for each in [pool.submit(call) for call in calls]]


def search(words):
    """One line for each tool whose name or description has one of the words."""
    wanted = words.lower().split()
    lines = []
    for name in __all__:
        text = (_b.globals()[name].__doc__ or "").strip()
        if not wanted or _b.any(word in (name + " " + text).lower() for word in wanted):
            lines.append("%s: %s" % (name, text.split("\n")[0]))
    return "\n".join(lines)


_unset = _Unset()
