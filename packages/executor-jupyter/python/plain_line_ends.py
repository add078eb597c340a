"""
Keeps the line ends of a `!command`. IPython runs the command on a terminal, which adds a carriage return before each line feed.
"""


def install():
    import functools, importlib.util, os, sys
    from IPython import get_ipython

    if not all(map(importlib.util.find_spec, ('termios', 'pexpect'))):
        return
    import termios

    shell = get_ipython()
    run = shell.system

    def keep_line_ends():
        try:
            os.fstat(1)
        except OSError:
            # Where the kernel has closed its stdout, pexpect closes the stdout of the command.
            os.dup2(0, 1)
        attributes = termios.tcgetattr(1)
        attributes[1] &= ~termios.ONLCR
        termios.tcsetattr(1, termios.TCSANOW, attributes)

    def load_pexpect():
        path = sys.path
        # Not from the working directory.
        sys.path = [folder for folder in path if folder]
        try:
            import pexpect
            return pexpect
        finally:
            sys.path = path

    def system(command):
        pexpect = load_pexpect()
        spawn = pexpect.spawn
        pexpect.spawn = functools.partial(spawn, preexec_fn=keep_line_ends)
        try:
            return run(command)
        finally:
            pexpect.spawn = spawn

    shell.system = system
