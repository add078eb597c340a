"""
Gives the output of a program to the cell that started the program, and ends a cell only after all of its output was published.

A program writes to descriptors 1 and 2. In a plain kernel these are two pipes for all cells: the text of a program that an earlier cell has left
belongs to the running cell, and on a busy machine the last text of a program can be read after its cell has ended, when no client listens.
Here a cell gets new pipes if there was a child process since the last ones were made. A pipe that a program still has open is then read until
that program ends, and its text belongs to the earlier cell. A descriptor that the code has replaced is not changed.

The text of the running cell is also written to the kernel's own output, where the host finds the last words of a kernel that has died. If
`cell_mark` is not empty, it ends the text of earlier cells there.
"""


def install(cell_mark):
    import codecs, os, resource, select, selectors, sys, threading, time
    from IPython import get_ipython

    # So that pipes do not use up the descriptors. Programs of further cells write for the cell that runs.
    most = 64
    needed = '_fid', '_original_stdstream_fd', '_original_stdstream_copy', '_parent_header', '_parent_header_global', '_should_watch'
    streams = [stream for stream in (sys.stdout, sys.stderr) if hasattr(stream, 'watch_fd_thread')]
    for stream in streams:
        for name in needed:
            getattr(stream, name)

    class Pipes:
        """The pipes of one descriptor. The data of a reading end is the cell that its text belongs to, or `None` for the cell that runs."""

        def __init__(self, stream):
            self.stream, self.descriptor = stream, stream._original_stdstream_fd
            self.selector, self.lock = selectors.DefaultSelector(), threading.Lock()
            # Reading ends, by the identity of the writing end.
            self.ends = {}
            # Of each reading end, because a character can be cut between two reads.
            self.decoders = {}
            # Reading ends whose text was read, and may not be written yet.
            self.passing = []
            self.newest_cell, self.is_copied = None, False

        def take_over(self):
            """Ends the thread of ipykernel, as its `close` does, and reads the pipe of that thread."""
            stream = self.stream
            stream._should_watch = False
            os.write(self.descriptor, b'\0')
            stream.watch_fd_thread.join()
            stream._should_watch = True
            self.add(stream._fid, None)
            stream.watch_fd_thread = threading.Thread(target=self.pass_on, daemon=True)
            stream.watch_fd_thread.start()

        def identity(self):
            try:
                file = os.fstat(self.descriptor)
                return file.st_dev, file.st_ino
            except OSError:
                return None

        def add(self, end, cell):
            self.ends[self.identity()] = end
            self.decoders[end] = codecs.getincrementaldecoder('utf-8')('replace')
            self.selector.register(end, selectors.EVENT_READ, cell)

        def remove(self, end):
            self.ends = {identity: each for identity, each in self.ends.items() if each != end}
            del self.decoders[end]
            os.close(end)

        def begin_cell(self, is_shared):
            cell = self.newest_cell = self.stream.parent_header
            if self.is_copied and cell_mark:
                self.is_copied = False
                os.write(self.stream._original_stdstream_copy, cell_mark.encode())
            with self.lock:
                end = self.ends.get(self.identity())
                if end is None:
                    return
                if not is_shared:
                    self.selector.modify(end, selectors.EVENT_READ, cell)
                elif len(self.ends) < most:
                    self.replace(end, cell)
                else:
                    self.selector.modify(end, selectors.EVENT_READ, None)

        def replace(self, old, new_cell):
            new, writing_end = os.pipe()
            # Now, because the end of its last writer would wake the reader.
            cell = self.selector.unregister(old).data
            os.dup2(writing_end, self.descriptor)
            os.close(writing_end)
            self.add(new, new_cell)
            if is_over(old):
                self.remove(old)
            else:
                self.selector.register(old, selectors.EVENT_READ, cell)

        def pass_on(self):
            stream = self.stream
            try:
                while True:
                    self.selector.select()
                    with self.lock:
                        if not stream._should_watch:
                            break
                        texts = self.read()
                        self.passing = [end for end, *_ in texts]
                    for _, cell, text, written in texts:
                        stream._parent_header.set(stream._parent_header_global if cell is None else cell)
                        stream.write(text)
                        if cell is None or cell is self.newest_cell:
                            self.is_copied = True
                            os.write(stream._original_stdstream_copy, written)
                    self.passing = []
            except Exception:
                stream._exc = sys.exc_info()

        def read(self):
            texts = []
            # Again, because a cell that began meanwhile can have closed an end.
            for key, _ in self.selector.select(0):
                written = os.read(key.fd, 2 ** 15)
                text = self.decoders[key.fd].decode(written, not written)
                if text or written:
                    texts.append((key.fd, key.data, text, written))
                if not written:
                    self.selector.unregister(key.fd)
                    self.remove(key.fd)
            return texts

        def has_passed_all(self):
            with self.lock:
                end = self.ends.get(self.identity())
                return end is None or end not in self.passing and not select.select([end], [], [], 0)[0]

        def end_character(self):
            """Writes what is there of a character that was begun and not ended."""
            with self.lock:
                end = self.ends.get(self.identity())
                text = '' if end is None else self.decoders[end].decode(b'', True)
            if text:
                self.stream.write(text)

    def is_over(end):
        """Whether a pipe has no writer and no text."""
        poll = select.poll()
        poll.register(end, select.POLLIN)
        return poll.poll(0) == [(end, select.POLLHUP)]

    def is_parent():
        if not hasattr(os, 'waitid'):
            return True
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return False
        return True

    def begin_cell(*_):
        nonlocal used
        before, used = used, resource.getrusage(resource.RUSAGE_CHILDREN)
        is_shared = before != used or is_parent()
        for each in pipes:
            each.begin_cell(is_shared)

    def end_cell(*_):
        # What never ends, such as a flood in the background, does not keep a cell from ending. A machine that paused has given the reader no time.
        rests, give_up_at = 0, time.monotonic() + 0.5
        try:
            while (time.monotonic() < give_up_at or rests < 100 and time.monotonic() < give_up_at + 5) and not all(each.has_passed_all() for each in pipes):
                time.sleep(0.001)
                rests += 1
            for each in pipes:
                each.end_character()
        except KeyboardInterrupt:
            pass

    # What children have used that have ended: it changes with each of them.
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    pipes = [Pipes(stream) for stream in streams]
    for each in pipes:
        each.take_over()
    if pipes:
        events = get_ipython().events
        events.register('pre_run_cell', begin_cell)
        events.register('post_run_cell', end_cell)
