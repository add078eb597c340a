"""
Ends a kernel as soon as the functions that programs registered with `atexit` have run.

A plain ipykernel can reach the time limit of its end before that. It is then killed, and exit functions and open files are lost:

- It waits for its children first, 14 seconds for a child that ignores SIGTERM or that no program waits for. Here children get SIGTERM when
  the exit functions of the program have run, or after one second, because an exit function can wait for a child. `multiprocessing` ends its
  daemonic processes itself: the workers of a pool get no SIGTERM before, because its exit function waits without end for a lock that a
  killed worker held.
- One of its threads flushes the streams while another ends the thread that publishes them. If the publishing thread ends first, the flush
  waits for ten seconds.
- It publishes that it is idle after the shutdown, through the same thread. If that thread has just ended, the send waits without end.
"""


def install(is_last):
    import atexit, os, signal, sys, threading, time
    from IPython import get_ipython

    kernel, process = get_ipython().kernel, os.getpid()
    handlers = kernel.control_handlers
    shut_down = handlers['shutdown_request']

    def end_awaited_children():
        multiprocessing = sys.modules.get('multiprocessing')
        workers = {child.pid for child in multiprocessing.active_children() if child.daemon} if multiprocessing else set()
        for child in kernel._process_children():
            try:
                if child.pid not in workers:
                    child.terminate()
            except Exception:
                # It has ended.
                pass

    async def wait_for_no_child():
        timer = threading.Timer(1, end_awaited_children)
        timer.daemon = True
        timer.start()

    def is_running(child):
        try:
            return child.status() != 'zombie'
        except Exception:
            return False

    def end_children():
        # A fork has the function, too.
        if os.getpid() != process:
            return
        kernel._signal_children(signal.SIGTERM)
        give_up_at = time.monotonic() + 0.3
        while any(map(is_running, kernel._process_children())) and time.monotonic() < give_up_at:
            time.sleep(0.005)
        if is_last:
            kernel._signal_children(signal.SIGKILL)

    def shut_down_soon(*message):
        for stream in (sys.stdout, sys.stderr):
            stream.flush_timeout = 0.1
        kernel._publish_status = lambda *status, **named: None
        return shut_down(*message)

    if hasattr(kernel, '_signal_children') and hasattr(kernel, '_process_children'):
        kernel._progressively_terminate_all_children = wait_for_no_child
        # Exit functions are called in reverse order.
        atexit.register(end_children)
    handlers['shutdown_request'] = shut_down_soon
