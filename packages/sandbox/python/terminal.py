# Runs a command in a new terminal: python3 -c SOURCE COLUMNS ROWS COMMAND. See ../src/terminal/python-terminal.ts.
import errno
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

# A pipe that `select` calls writable takes this much without blocking.
PIECE = 4096
# How much input the terminal has taken when the host hears of it. The host sends four times as much in advance.
REPORT = 16384
# How long programs may take to end after a hang-up, in seconds.
HANG_UP = 0.5


def say(words):
    os.write(2, ("fenced-terminal: %s\n" % words).encode())


def resize(terminal, columns, rows):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def become(columns, rows, command):
    resize(0, columns, rows)
    if sys.platform.startswith("linux"):
        # Erases whole characters: IUTF8, which old versions of `termios` do not name.
        attributes = termios.tcgetattr(0)
        attributes[0] |= 0o40000
        termios.tcsetattr(0, termios.TCSANOW, attributes)
    # Python ignores them.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    os.execvp(command[0], command)


def start(columns, rows, command):
    # Both close when the command begins.
    reading, writing = os.pipe()
    child, terminal = pty.fork()
    if child == 0:
        try:
            become(columns, rows, command)
        except OSError as error:
            os.write(writing, errno.errorcode.get(error.errno, "EIO").encode())
        finally:
            os._exit(127)
    os.close(writing)
    problem = os.read(reading, 100).decode()
    if problem:
        say("not-started %s" % problem)
        os._exit(127)
    os.close(reading)
    os.set_blocking(terminal, False)
    return child, terminal


def in_session(child):
    for name in os.listdir("/proc"):
        try:
            with open("/proc/%d/stat" % int(name), "rb") as file:
                session = file.read().rpartition(b")")[2].split()[3]
        except (ValueError, OSError):
            continue
        if int(session) == child:
            yield int(name)


def send(child, number):
    for process in in_session(child) if os.path.isdir("/proc/self") else [child]:
        try:
            os.kill(process, number)
            if number not in (signal.SIGSTOP, signal.SIGTSTP):
                os.kill(process, signal.SIGCONT)
        except OSError:
            pass


class Terminal:
    def __init__(self, child, terminal, wake):
        self.child = child
        self.terminal = terminal
        self.wake = wake
        self.frames = bytearray()
        self.typed = bytearray()
        self.taken = 0
        self.output = b""
        self.ended = None
        self.has_output = True

    def has_ended(self):
        if self.ended is None:
            process, status = os.waitpid(self.child, os.WNOHANG)
            if process:
                self.ended = 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        return self.ended is not None

    def run(self):
        while True:
            # What was written before the end of the command is there at once.
            is_over = self.has_ended() and not self.output
            reading = [0, self.wake] + ([self.terminal] if self.has_output and not self.output else [])
            writing = ([1] if self.output else []) + ([self.terminal] if self.typed else [])
            readable, writable, _ = select.select(reading, writing, [], 0 if is_over else None)
            if is_over and self.terminal not in readable:
                return
            if self.wake in readable:
                os.read(self.wake, PIECE)
            if 0 in readable and not self.hear():
                return self.hang_up()
            if 1 in writable:
                self.output = self.output[os.write(1, self.output[:PIECE]) :]
            if self.terminal in readable:
                self.read()
            if self.terminal in writable:
                self.type()

    def read(self):
        try:
            self.output = os.read(self.terminal, PIECE)
        except BlockingIOError:
            pass
        except OSError:
            # No process has the terminal.
            self.has_output = False

    def type(self):
        try:
            count = os.write(self.terminal, self.typed[:PIECE])
        except BlockingIOError:
            return
        except OSError:
            count = len(self.typed)
        del self.typed[:count]
        self.taken += count
        if self.taken >= REPORT:
            say("taken %d" % self.taken)
            self.taken = 0

    def hear(self):
        data = os.read(0, 65536)
        self.frames += data
        while len(self.frames) >= 5:
            kind, length = struct.unpack_from(">cI", self.frames)
            if len(self.frames) < 5 + length:
                break
            content = bytes(self.frames[5 : 5 + length])
            del self.frames[: 5 + length]
            if kind == b"i":
                self.typed += content
            elif kind == b"r":
                resize(self.terminal, *struct.unpack(">HH", content))
            elif kind == b"s":
                send(self.child, getattr(signal, content.decode()))
        return data

    def hang_up(self):
        # The kernel sends SIGHUP.
        os.close(self.terminal)
        until = time.monotonic() + HANG_UP
        while not self.has_ended() and time.monotonic() < until:
            select.select([self.wake], [], [], until - time.monotonic())
            if select.select([self.wake], [], [], 0)[0]:
                os.read(self.wake, PIECE)


def main():
    wake, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.set_wakeup_fd(waking)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    child, fd = start(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
    # Signals are for the command, which gets them in other ways.
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_IGN)
    say("started -")
    terminal = Terminal(child, fd, wake)
    try:
        terminal.run()
    except BrokenPipeError:
        terminal.hang_up()
    send(child, signal.SIGKILL)
    os._exit(128 + signal.SIGKILL if terminal.ended is None else terminal.ended)


main()
