/**
 * Leaves out what a kernel does for other clients, where this process is its only one: to publish that it is busy and what it was given to
 * run, and to take requests in a thread of their own, which passes each on to the one that runs it and its reply back. That thread is
 * ipykernel 7's, for subshells, which this client has none of. A reply is sent when it is made, and not when the event loop has its next
 * turn. Where a version has other names for these parts, they stay as they are.
 */
const source = `
def install():
    from IPython import get_ipython
    from zmq import POLLIN, POLLOUT
    from zmq.eventloop.zmqstream import ZMQStream

    kernel = get_ipython().kernel
    publish_status = kernel._publish_status

    def publish_unless_busy(status, *args, **kwargs):
        if status != 'busy':
            publish_status(status, *args, **kwargs)

    kernel._publish_status = publish_unless_busy
    kernel._publish_execute_input = lambda *args, **kwargs: None
    thread, loop = kernel.shell_channel_thread, kernel.io_loop
    manager, old = thread.manager, thread.shell_stream
    look_again = ZMQStream._update_handler
    pair, find_socket = manager._shell_channel_to_main, manager.get_subshell_to_shell_channel_socket
    take = pair.to_stream._recv_callback
    if manager._shell_stream is not old:
        return

    class replies:
        @staticmethod
        def send_multipart(parts):
            loop.add_callback(lambda: kernel.shell_stream.send_multipart(parts, copy=False))

    def give_up():
        # A socket is one thread's at a time.
        old.flush(POLLOUT)
        thread.io_loop.remove_handler(old.socket)
        old._handle_events = lambda *event: None
        manager._shell_stream = replies
        loop.add_callback(take_over, old.socket)

    def take_over(socket):
        stream = ZMQStream(socket, loop)
        stream.on_recv(take, copy=False)
        # By it, what runs another event loop in a cell hears of requests.
        pair.to_stream = thread.shell_stream = kernel.shell_stream = stream

        class own_replies:
            @staticmethod
            def send_multipart(parts, **options):
                if stream.sending():
                    return stream.send_multipart(parts, **options)
                stream.socket.send_multipart(parts, **options)
                # A socket that is used hears of what has come, and does not tell it again.
                look_again(stream, POLLIN)

        manager.get_subshell_to_shell_channel_socket = lambda id: own_replies if id is None else find_socket(id)

    thread.io_loop.add_callback(give_up)

try:
    install()
except AttributeError:
    pass
`

/** A line of Python that leaves no name behind. */
export const soleClient = `exec(${JSON.stringify(source)}, {})`
