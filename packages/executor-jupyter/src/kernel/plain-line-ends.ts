/**
 * Makes the lines that a `!command` writes end as those of every other program: IPython runs it on a terminal, and a
 * terminal puts a carriage return before each line feed.
 */
const source = `
def install():
    import functools, pexpect, termios
    from IPython import get_ipython

    shell = get_ipython()
    run = shell.system

    def keep_line_ends():
        attributes = termios.tcgetattr(1)
        attributes[1] &= ~termios.ONLCR
        termios.tcsetattr(1, termios.TCSANOW, attributes)

    def system(command):
        spawn = pexpect.spawn
        pexpect.spawn = functools.partial(spawn, preexec_fn=keep_line_ends)
        try:
            return run(command)
        finally:
            pexpect.spawn = spawn

    shell.system = system

try:
    install()
except (ImportError, AttributeError):
    pass
`

/** A line of Python that leaves no name behind. */
export const plainLineEnds = `exec(${JSON.stringify(source)}, {})`
