"""
Sends the output of a short cell with its reply, to the only client of a kernel.

A plain ipykernel passes output to a thread twice, waits for that thread, and publishes `idle` after the reply: three messages and three changes
of threads for a cell that prints a line. With this step, a short output is not published while ipykernel would collect it anyway. The client
ends that time, because a timer in the kernel would need a thread. A cell with published output ends as in a plain kernel, and its client
waits for `idle`.

No output is lost between the threads: a thread marks that it publishes before it takes output, and the reply takes output only without such a
mark, under the same lock.
"""


def install(output_name, publish_type):
    import functools, os, signal, sys, threading
    from IPython import get_ipython

    kernel = get_ipython().kernel
    streams, publisher, main = (sys.stdout, sys.stderr), kernel.iopub_thread, threading.get_ident()
    run, finish, publish_status = kernel.do_execute, kernel.finish_metadata, kernel._publish_status
    schedules = [stream._schedule_flush for stream in streams]
    locks = [(stream._buffer_lock, stream._rotate_buffers, stream._buffers)[0] for stream in streams]
    most = 2 ** 16
    if not (kernel.control_thread and kernel.post_handler_hook) or any(stream.echo for stream in streams):
        raise AttributeError('no thread for control, or streams with an echo')
    # Whether something of the cell was published, or nothing of it is held back; streams that are held back.
    is_published, held = False, []
    # Whether its code has ended, with nothing but its reply to come, and whether that has its output. This one is in a cell, too.
    has_ended, has_output = True, False

    def say_published():
        nonlocal is_published
        is_published = True

    def saying(publish):
        @functools.wraps(publish)
        def say_and_publish(*args, **kwargs):
            say_published()
            return publish(*args, **kwargs)
        return say_and_publish

    def hold_back(stream, schedule, flush):
        def schedule_unless_held():
            if is_published:
                return schedule()
            stream._flush_pending = True
            held.append(stream)
            if is_published:
                release()

        def flush_unless_ended():
            if not has_ended or threading.get_ident() != main:
                flush()

        stream._schedule_flush, stream.flush, stream._flush = schedule_unless_held, flush_unless_ended, saying(stream._flush)

    def publish_from_now_on(*_):
        say_published()
        for stream in list(held):
            publisher.schedule(stream._flush)

    def release():
        say_published()
        for stream, schedule in zip(streams, schedules):
            stream._flush_pending = False
            if stream._buffers:
                schedule()

    def take_output():
        keys = [frozenset(stream.parent_header.items()) for stream in streams]
        with locks[0], locks[1]:
            texts = [stream._buffers[key].getvalue() if key in stream._buffers else '' for stream, key in zip(streams, keys)]
            if is_published or sum(map(len, texts)) > most:
                return None
            for stream, key in zip(streams, keys):
                others = stream._rotate_buffers()
                others.pop(key, None)
                stream._buffers.update(others)
        return [{'name': stream.name, 'text': text} for stream, text in zip(streams, texts) if text]

    def publish_all():
        nonlocal has_ended
        has_ended = False
        release()
        for stream in streams:
            stream.flush()

    @functools.wraps(run)
    async def run_and_hold_back(*args, **kwargs):
        nonlocal is_published, has_ended
        if threading.get_ident() != main:
            return await run(*args, **kwargs)
        held.clear()
        is_published = False
        try:
            return await run(*args, **kwargs)
        finally:
            # What interrupts it now would leave it without a reply. Between cells ipykernel ignores interrupts as well.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            has_ended = True

    def finish_with_output(parent, metadata, content):
        nonlocal has_output
        metadata = finish(parent, metadata, content)
        output = take_output() if has_ended else None
        if output is not None:
            metadata[output_name] = output
            has_output = True
        elif has_ended:
            publish_all()
        return metadata

    def publish_unless_replied(status, *args, **kwargs):
        nonlocal has_ended, has_output
        if status == 'idle' and threading.get_ident() == main:
            had_ended, had_output, has_ended, has_output = has_ended, has_output, False, False
            if had_output:
                return release()
            if had_ended:
                publish_all()
        publish_status(status, *args, **kwargs)

    for stream, schedule in zip(streams, schedules):
        hold_back(stream, schedule, stream.flush)
    kernel.do_execute, kernel.finish_metadata, kernel._publish_status = run_and_hold_back, finish_with_output, publish_unless_replied
    kernel.control_handlers[publish_type] = publish_from_now_on
    publisher.send_multipart = saying(publisher.send_multipart)
    os.register_at_fork(before=say_published)
