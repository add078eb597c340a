import type { SetupStep } from './setup-step.ts'

/**
 * Makes a kernel end as soon as it has done what programs registered with `atexit`. By itself ipykernel can reach the time limit of its
 * end before that, is killed, and loses exit functions and open files:
 *
 * - It waits for its children first, 14 seconds for one that ignores SIGTERM or that no program waits for. And SIGTERM to the workers of a
 *   pool makes the exit function of `multiprocessing` wait without end. Here children get SIGTERM when the exit functions of the program
 *   have run, or after a second, as one of these can wait for a child.
 * - One of its threads flushes the streams while another ends the thread that publishes them. If that one ends first, the flush waits
 *   for ten seconds.
 * - It publishes that it is idle after the shutdown, through the same thread. If that has just ended, the send waits without end.
 */
const source = `
def install(is_last):
    import atexit, os, signal, sys, threading, time
    from IPython import get_ipython

    kernel, process = get_ipython().kernel, os.getpid()
    handlers = kernel.control_handlers
    shut_down = handlers['shutdown_request']

    async def wait_for_no_child():
        timer = threading.Timer(1, kernel._signal_children, [signal.SIGTERM])
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
`

/**
 * The step that ends a kernel in order.
 *
 * @param isSoleClient - Whether the kernel's children that remain are ended by us. A server finds none of them: they get SIGKILL.
 */
export const endInOrder = (isSoleClient: boolean): SetupStep => ({
  name: 'end-in-order',
  source: `${source}\ninstall(${isSoleClient ? 'False' : 'True'})`,
})
