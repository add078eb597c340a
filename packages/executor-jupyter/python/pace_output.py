"""
Makes a kernel write no faster than its output is read.

A plain ipykernel collects output for a fifth of a second into one message of any size, and publishes it even if no client reads it: a fast
cell fills the memory of its readers. This step publishes a stream in small pieces, and blocks the writer while more bytes or more messages than
the window are in transit. If a reader does not answer for one second, it may be disconnected, and the kernel stops waiting for it.

A plain publisher drops messages without a word when 1,000 of them wait. This step lifts that limit, because the window bounds what waits. The
status of the kernel tells how many messages went before it, so a reader notices that messages are missing. The first mark begins the count.

ipykernel 7 looks up the buffer of the writing cell at each write, by the whole header of its request, which takes longer than printing. This
step caches the buffer of the last write: the same text goes into the same buffers, under the same lock.

All messages are counted in one place, which also rejects a message that would end the connection. The threads that publish and that receive
answers never wait, and neither do a forked child and the messages that end a cell. During a cell, IPython replaces the `write` of a stream and keeps all output in the
kernel's memory. This step turns that off, and streams are paced from the next cell on.
"""


def install(longest_message, mark_type, acknowledge_type, count_name):
    import contextlib, contextvars, os, sys, threading, time
    from IPython import get_ipython
    from zmq import SNDHWM

    shell = get_ipython()
    kernel = shell.kernel
    publisher = kernel.iopub_thread
    piece, patience = 2 ** 16, 1
    # In bytes, and in messages.
    step, window = (2 ** 18, 128), (2 ** 20, 512)
    longest = longest_message - 2 ** 16
    process, is_forked = os.getpid(), False
    # Of C: an interrupt cannot come between taking the lock and entering its block, as it can in a `Condition`, and leave it locked. A signal
    # handler may publish while its thread counts.
    counting, answered = threading.RLock(), threading.Lock()
    sent = marked = taken = (0, 0)
    is_mark_due = False
    send, send_multipart = kernel.session.send, publisher.send_multipart
    encodable = getattr(kernel, 'fenced_encodable', lambda stream, text: text)

    def count(parts, *args, **kwargs):
        nonlocal sent, is_mark_due
        size = sum(map(len, parts))
        if size > longest:
            raise ValueError('A result of %d bytes is longer than a message to the host can be, %d bytes.' % (size, longest))
        # In one step: threads publish in the order in which they count.
        with counting:
            send_multipart(parts, *args, **kwargs)
            sent = (sent[0] + size, sent[1] + 1)
        is_mark_due = exceeds(step, marked)

    def send_in_room(stream, msg_or_type, *args, **kwargs):
        if stream is not kernel.iopub_socket:
            return send(stream, msg_or_type, *args, **kwargs)
        if msg_or_type == 'status':
            with counting:
                kwargs.setdefault('metadata', {count_name: sent[1]})
                return send(stream, msg_or_type, *args, **kwargs)
        message = send(stream, msg_or_type, *args, **kwargs)
        if is_mark_due and msg_or_type != 'error':
            wait_for_room()
        return message

    def acknowledge(stream, identity, message):
        nonlocal taken
        taken = max(taken, tuple(message['content']['sent']))
        wake()

    def wake():
        try:
            answered.release()
        except RuntimeError:
            # No thread has waited since.
            pass

    def exceeds(limits, since):
        return sent[0] - since[0] > limits[0] or sent[1] - since[1] > limits[1]

    def never_waits():
        control = getattr(kernel, 'control_thread', None)
        here = threading.get_ident()
        return os.getpid() != process or here in (publisher.thread.ident, getattr(control, 'ident', None))

    def wait_for_room():
        nonlocal marked, taken
        if never_waits():
            return
        if exceeds(step, marked):
            marked = sent
            send(kernel.iopub_socket, mark_type, {'sent': marked})
        if not exceeds(window, taken):
            return
        end = time.monotonic() + patience
        while exceeds(window, taken):
            if not answered.acquire(timeout=max(0, end - time.monotonic())):
                taken = sent
        wake()

    def pace(stream):
        write = stream.write
        unpublished = 0

        def write_in_pieces(text):
            nonlocal unpublished
            if not isinstance(text, str):
                return write(text)
            written = text if text.isascii() else encodable(stream, text)
            if is_mark_due:
                wait_for_room()
            for start in range(0, len(written), piece) if len(written) > piece else (0,):
                part = written[start:start + piece]
                write(part)
                unpublished += len(part)
                if unpublished >= piece:
                    unpublished = 0
                    stream.flush()
                    wait_for_room()
            return len(text)

        def write_to_the_same(text):
            nonlocal unpublished, buffers, header, add
            if text.__class__ is not str or len(text) > piece or is_forked or stream.pub_thread is None:
                return write_in_pieces(text)
            written = text if text.isascii() else encodable(stream, text)
            if is_mark_due:
                wait_for_room()
            try:
                of_cell = current_header.get()
            except LookupError:
                of_cell = stream._parent_header_global
            with lock:
                if buffers is not stream._buffers or header is not of_cell:
                    buffers, header = stream._buffers, of_cell
                    add = buffers[frozenset(header.items())].write
                add(written)
            if not stream._flush_pending:
                stream._schedule_flush()
            unpublished += len(written)
            if unpublished >= piece:
                unpublished = 0
                stream.flush()
                wait_for_room()
            return len(text)

        buffers = header = add = None
        lock, current_header = getattr(stream, '_buffer_lock', None), getattr(stream, '_parent_header', None)
        is_known = lock and isinstance(current_header, contextvars.ContextVar) and stream.echo is None
        stream.write = write_to_the_same if is_known else write_in_pieces

    def forked():
        nonlocal is_forked, counting
        is_forked, counting = True, threading.RLock()

    def pace_streams(*_):
        shell.events.unregister('pre_run_cell', pace_streams)
        for stream in streams:
            pace(stream)

    streams = [sys.stdout, sys.stderr]
    if hasattr(os, 'register_at_fork'):
        os.register_at_fork(after_in_child=forked)
    kernel.control_handlers[acknowledge_type] = acknowledge
    publisher.schedule(lambda: publisher.socket.setsockopt(SNDHWM, 0))
    kernel.session.send = send_in_room
    with counting:
        publisher.send_multipart = count
        # Other threads publish what they count after this mark.
        send(kernel.iopub_socket, mark_type, {'sent': sent})
        sent = (0, 0)
    shell._tee = lambda channel: contextlib.nullcontext()
    shell.events.register('pre_run_cell', pace_streams)
