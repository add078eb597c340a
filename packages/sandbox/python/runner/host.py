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
                                                                 place of what is in the file by then (Linux); with the
                                                                 part `-` in `r` there is no file, in any language
                    a  bytes                                     for the program, from the other end of its tools
                    k  milliseconds                              end it: SIGTERM now, SIGKILL after that time
                    w  path ...                                  programs find these as they are now, with all below them
                    m  bytes                                     bytecode of the source in the next `b`: its version, then
                                                                 a code object
                    b  settings, source                          become the keeper of a session: see its protocol
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
                                                                 ran the bytes of `c`, "other" when it may not have; "left" when a process of it could
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
import stat
import time

STDIN, STDOUT, STDERR = 0, 1, 2
CHUNK = 65536
# See prctl(2).
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36


class HostGone(Exception):
    """The host closed the connection, so no further program will come."""


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
