"""
Ends a cell only after all of its output was published.

A thread of ipykernel reads output that is written to a descriptor, such as the output of a `subprocess`. On a busy machine the thread can read
it after the cell has ended, when no client listens. On Linux, the thread has passed on all output once it waits in `read` again. Other
systems do not show this, and the cell ends when the descriptor has no more output.
"""


def install():
    import os, select, sys, time
    from IPython import get_ipython

    streams = [stream for stream in (sys.stdout, sys.stderr) if hasattr(stream, 'watch_fd_thread')]

    def is_read(stream):
        if select.select([stream._fid], [], [], 0)[0]:
            return False
        try:
            file = os.open('/proc/self/task/%d/syscall' % stream.watch_fd_thread.native_id, os.O_RDONLY)
        except OSError:
            return True
        try:
            return os.read(file, 256).split()[1:2] == [b'%#x' % stream._fid]
        except OSError:
            return True
        finally:
            os.close(file)

    def wait(*_):
        # What never ends, such as a flood in the background, does not keep a cell from ending.
        give_up_at = time.monotonic() + 0.5
        try:
            while time.monotonic() < give_up_at and not all(map(is_read, streams)):
                time.sleep(0.001)
        except KeyboardInterrupt:
            pass

    if streams:
        get_ipython().events.register('post_run_cell', wait)
