import type { SetupStep } from './setup-step.ts'

/**
 * Makes the output of a program belong to the cell that started the program (Linux). Programs write to the descriptors 1 and 2, which are pipes
 * that ipykernel reads in threads; these write into whatever cell runs at that moment. Here a cell gets new pipes when there were child
 * processes since the last ones were made. What comes through the old pipes belongs to the earlier cell, until all programs that
 * have them end. Descriptors that a program has replaced stay as they are.
 */
const source = `
def install():
    import os, resource, sys, threading
    from IPython import get_ipython

    if not sys.platform.startswith('linux'):
        return
    events = get_ipython().events
    streams = [stream for stream in (sys.stdout, sys.stderr) if hasattr(stream, 'watch_fd_thread')]
    if not all(hasattr(stream, name) for stream in streams for name in ('_fid', '_original_stdstream_fd', '_original_stdstream_copy', '_parent_header_global')):
        raise AttributeError('streams that read their descriptor in another way')

    class Pipe:
        def __init__(self, stream):
            self.stream, self.lock = stream, threading.Lock()
            # Of the last cell that wrote into it, once another pipe is in its place.
            self.header, self.last_header, self.is_read = None, {}, False
            self.number, write = os.pipe()
            os.dup2(write, stream._original_stdstream_fd)
            self.identity = os.fstat(write)
            os.close(write)
            self.thread = threading.Thread(target=self.read, daemon=True)
            stream._fid, stream.watch_fd_thread = self.number, self.thread
            self.thread.start()

        def read(self):
            stream = self.stream
            try:
                while True:
                    written = os.read(self.number, 2 ** 15)
                    if not written or not stream._should_watch:
                        break
                    stream._parent_header.set(stream._parent_header_global if self.header is None else self.header)
                    stream.write(written.decode(errors='replace'))
                    os.write(stream._original_stdstream_copy, written)
            except Exception:
                stream._exc = sys.exc_info()
            with self.lock:
                self.is_read = True
                if self.header is not None:
                    os.close(self.number)

        def is_in_place(self):
            try:
                return os.path.samestat(os.fstat(self.stream._original_stdstream_fd), self.identity)
            except OSError:
                return False

        def leave(self):
            with self.lock:
                self.header = self.last_header
                if self.is_read:
                    os.close(self.number)

    def is_parent():
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            return True
        except ChildProcessError:
            return False

    def use_of_children():
        use = resource.getrusage(resource.RUSAGE_CHILDREN)
        return use.ru_minflt, use.ru_utime, use.ru_stime

    def begin_cell(*_):
        nonlocal pipes, last_use
        use, has_children = use_of_children(), is_parent()
        if (has_children or use != last_use) and all(pipe.is_in_place() for pipe in pipes):
            old, last_use = pipes, use
            pipes = [Pipe(stream) for stream in streams]
            for pipe in old:
                pipe.leave()
            # No program has them any more, unless one has left its parent.
            for pipe in old if not has_children else ():
                pipe.thread.join(0.05)
        for pipe in pipes:
            pipe.last_header = pipe.stream._parent_header_global

    first = [(stream._fid, stream.watch_fd_thread) for stream in streams]
    pipes, last_use = [Pipe(stream) for stream in streams], use_of_children()
    for number, thread in first:
        thread.join(1)
        if not thread.is_alive():
            os.close(number)
    events.register('pre_run_cell', begin_cell)

install()
`

export const outputOfPrograms: SetupStep = { name: 'output-of-programs', source }
