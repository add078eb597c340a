"""
Gives the output of a thread to the cell that started the thread, and the output of a task of a `ThreadPoolExecutor` to the cell that submitted
the task.

ipykernel keeps the cell of each context in context variables, and a new thread has none of them. In a plain kernel the thread therefore writes
into the running cell (7.2 and later), or into the cell of the thread that started its oldest ancestor (before). Other context
variables are not inherited, as in every Python.
"""


def install():
    import contextvars, functools, sys, threading
    from concurrent.futures import thread as pools
    from IPython import get_ipython

    shell = get_ipython()
    holders = [shell, shell.displayhook, shell.display_pub, sys.stdout, sys.stderr]
    held = [(holder, getattr(holder, '_parent_header', None)) for holder in holders]
    held = [(holder, variable) for holder, variable in held if isinstance(variable, contextvars.ContextVar)]
    if not {sys.stdout, sys.stderr} <= {holder for holder, _ in held}:
        raise AttributeError('streams without a context variable')
    Thread, Task = threading.Thread, pools._WorkItem
    start, begin, create, run = Thread.start, Thread._bootstrap_inner, Task.__init__, Task.run

    def current_cell():
        return [(variable, holder.parent_header) for holder, variable in held]

    def enter(cell):
        for variable, header in cell:
            variable.set(header)

    def enter_in(context, cell):
        try:
            context.run(enter, cell)
        except RuntimeError:
            # The program has given the thread a context that another thread is in.
            pass

    @functools.wraps(start)
    def start_of_cell(self):
        cell = current_cell()
        if hasattr(self, '_context'):
            # From Python 3.14 on a thread runs in a context that is made when it starts.
            if self._context is None:
                self._context = contextvars.copy_context() if sys.flags.thread_inherit_context else contextvars.Context()
            enter_in(self._context, cell)
        self._fenced_cell = cell
        return start(self)

    @functools.wraps(begin)
    def begin_of_cell(self):
        enter(self.__dict__.pop('_fenced_cell', ()))
        begin(self)

    @functools.wraps(create)
    def create_of_cell(self, *args, **kwargs):
        create(self, *args, **kwargs)
        self._fenced_cell = current_cell()

    @functools.wraps(run)
    def run_of_cell(self, *args, **kwargs):
        enter(self._fenced_cell)
        return run(self, *args, **kwargs)

    Thread.start, Thread._bootstrap_inner = start_of_cell, begin_of_cell
    Task.__init__, Task.run = create_of_cell, run_of_cell
