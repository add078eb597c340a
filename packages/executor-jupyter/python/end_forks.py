"""
Ends a forked process at the end of its cell, as at the end of a program.

Otherwise the process becomes a second kernel without sockets, which uses a whole processor. Its output is published first. Its exit
functions do not run, because they belong to the kernel.
"""


def install():
    import os, sys
    from IPython import get_ipython

    process, streams = os.getpid(), (sys.stdout, sys.stderr)

    def exit_code(result):
        error = result and (result.error_before_exec or result.error_in_exec)
        if result and error is None:
            return 0
        code = error.code if isinstance(error, SystemExit) else 1
        return 0 if code is None else code & 255 if isinstance(code, int) else 1

    def end_fork(result=None):
        if os.getpid() == process:
            return
        code = 1
        try:
            code = exit_code(result)
            for stream in streams:
                stream.flush()
        finally:
            os._exit(code)

    get_ipython().events.register('post_run_cell', end_fork)
