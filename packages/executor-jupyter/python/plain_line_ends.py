"""
Keeps the line ends and characters of a `!command`. IPython runs the command on a terminal, which adds a carriage return before each line feed,
and decodes each piece of its output separately, although a character can be cut between two pieces.
"""


def install():
    import codecs, functools, importlib.util, os, sys
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

    def with_whole_characters(spawn, end_of_file):
        class Command(spawn):
            cut = b''

            def read_nonblocking(self, *args, **kwargs):
                try:
                    text = self.cut + super().read_nonblocking(*args, **kwargs)
                except end_of_file:
                    if not self.cut:
                        raise
                    text, self.cut = self.cut, b''
                    return text
                decoder = codecs.getincrementaldecoder('utf-8')('replace')
                decoder.decode(text)
                self.cut = decoder.getstate()[0]
                return text[:len(text) - len(self.cut)]

        return Command

    def system(command):
        pexpect = load_pexpect()
        spawn = pexpect.spawn
        pexpect.spawn = functools.partial(with_whole_characters(spawn, pexpect.EOF), preexec_fn=keep_line_ends)
        try:
            return run(command)
        finally:
            pexpect.spawn = spawn

    shell.system = system
