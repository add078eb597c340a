/**
 * Makes a kernel end as soon as it has done what programs registered with `atexit`. By itself ipykernel can reach the time limit of its
 * end before that, is killed, and loses exit functions and open files:
 *
 * - It waits for its children, 14 seconds for one that ignores SIGTERM or that no program waits for. Here it sends SIGTERM once and
 *   continues; the host ends what remains.
 * - One of its threads flushes the streams while another ends the thread that publishes them. If that one ends first, the flush waits
 *   for ten seconds.
 * - It publishes that it is idle after the shutdown, through the same thread. If that has just ended, the send waits without end.
 *
 * Where a version has other names for these parts, they stay as they are.
 */
const source = `
def install():
    import signal, sys
    from IPython import get_ipython

    kernel = get_ipython().kernel
    handlers = kernel.control_handlers
    shut_down = handlers['shutdown_request']

    async def ask_children_to_end():
        kernel._signal_children(signal.SIGTERM)

    def shut_down_soon(*message):
        for stream in (sys.stdout, sys.stderr):
            stream.flush_timeout = 0.1
        kernel._publish_status = lambda *status, **named: None
        return shut_down(*message)

    if hasattr(kernel, '_signal_children'):
        kernel._progressively_terminate_all_children = ask_children_to_end
    handlers['shutdown_request'] = shut_down_soon

install()
`

/** A line of Python that leaves no name behind. */
export const endInOrder = `exec(${JSON.stringify(source)}, {})`

/**
 * Ends the children of a kernel that a server ends, which finds none of them: the last thing that is done with `atexit`, since functions
 * are called in reverse order.
 */
const sourceForServers = `
def install():
    import atexit, os, signal
    from IPython import get_ipython

    kernel, process = get_ipython().kernel, os.getpid()

    def end_children():
        # A fork has the function, too.
        if os.getpid() == process:
            kernel._signal_children(signal.SIGKILL)

    if hasattr(kernel, '_signal_children'):
        atexit.register(end_children)

install()
`

/** A line of Python that leaves no name behind. */
export const endChildrenAtExit = `exec(${JSON.stringify(sourceForServers)}, {})`
