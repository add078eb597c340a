"""Plays a dialogue with a program in a pseudo-terminal of its own.

Standard input holds JSON: {"command": [...], "columns": 80, "env": {...}, "steps": [...]}, a step being
{"expect": text}, {"type": text}, {"bytes": hexadecimal}, {"pause": seconds}, {"signal": number},
{"resize": [columns, rows]} or {"hangUp": true}.
Standard output is JSON: what the program wrote, how it ended, and whether the terminal's modes are as they were.
"""

import codecs
import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios
import time

LIMIT_SECONDS = 55


def main():
    play = json.load(sys.stdin)
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, play.get("columns", 80), 0, 0))
    before = termios.tcgetattr(slave)
    child = os.fork()
    if child == 0:
        os.login_tty(slave) if hasattr(os, "login_tty") else take_terminal(slave)
        os.execvpe(play["command"][0], play["command"], {**os.environ, **play.get("env", {})})
    dialogue = Dialogue(master, slave, child)
    problem = None
    try:
        for step in play["steps"]:
            dialogue.play(step)
        if dialogue.master is not None:
            dialogue.wait_for_end()
    except TimeoutError as error:
        problem = str(error)
        os.kill(child, 9)
    _, status = os.waitpid(child, 0)
    restored = dialogue.master is None or termios.tcgetattr(slave) == before
    json.dump(
        {
            "output": dialogue.output,
            "exitCode": os.waitstatus_to_exitcode(status),
            "restored": restored,
            "problem": problem,
        },
        sys.stdout,
    )


def take_terminal(slave):
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for descriptor in (0, 1, 2):
        os.dup2(slave, descriptor)


class Dialogue:
    def __init__(self, master, slave, child):
        self.master = master
        self.slave = slave
        self.child = child
        self.output = ""
        self.seen = 0
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.deadline = time.monotonic() + LIMIT_SECONDS

    def play(self, step):
        if "expect" in step:
            self.expect(step["expect"])
        elif "type" in step:
            self.write(step["type"].encode())
        elif "bytes" in step:
            self.write(bytes.fromhex(step["bytes"]))
        elif "pause" in step:
            # The pause begins when the program has read what was typed, however busy the machine is.
            while self.unread():
                self.read(0.02)
            until = time.monotonic() + step["pause"]
            while time.monotonic() < until:
                self.read(0.02)
        elif "signal" in step:
            os.kill(self.child, step["signal"])
        elif "resize" in step:
            columns, rows = step["resize"]
            fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        elif "hangUp" in step:
            os.close(self.master)
            self.master = None

    def expect(self, text):
        while text not in self.output[self.seen :]:
            if not self.read(0.1) and self.ended():
                raise TimeoutError(f"the program ended without {text!r}")
        self.seen = self.output.index(text, self.seen) + len(text)

    def unread(self):
        return struct.unpack("i", fcntl.ioctl(self.slave, termios.FIONREAD, b"\0\0\0\0"))[0] > 0

    def write(self, data):
        """A terminal's buffer is small: what the program says meanwhile is read, or both would wait."""
        while data:
            _, ready, _ = select.select([], [self.master], [], 0.02)
            if ready:
                data = data[os.write(self.master, data[:512]) :]
            self.read(0)

    def read(self, seconds):
        if time.monotonic() > self.deadline:
            raise TimeoutError("the dialogue took too long")
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return False
        self.output += self.decoder.decode(os.read(self.master, 65536))
        return True

    def ended(self):
        return os.waitid(os.P_PID, self.child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def wait_for_end(self):
        while not self.ended():
            self.read(0.05)
        while self.read(0.05):
            pass


main()
