"""
Makes an interrupt end a cell that waits in `await`.

ipykernel cancels the task of the cell from the signal handler, and such a callback does not wake an event loop that waits: nothing happens
until another event comes. It also cancels only once, and never interrupts what an asynchronous cell does between its waits. A
KeyboardInterrupt anywhere but below the cell's own code would end the event loop, and the kernel with it.
"""


def install():
    import asyncio, contextlib, signal
    from IPython import get_ipython

    shell = get_ipython()
    cancel_on_sigint = shell.kernel._cancel_on_sigint

    def is_below_cell(frame):
        while frame is not None:
            if frame.f_globals is shell.user_global_ns:
                return True
            frame = frame.f_back
        return False

    @contextlib.contextmanager
    def cancel_at_once(task):
        loop = task.get_loop()

        def interrupt(number, frame):
            if asyncio.current_task(loop) is task and is_below_cell(frame):
                raise KeyboardInterrupt
            loop.call_soon_threadsafe(task.cancel)

        with cancel_on_sigint(task):
            signal.signal(signal.SIGINT, interrupt)
            yield

    shell.kernel._cancel_on_sigint = cancel_at_once
