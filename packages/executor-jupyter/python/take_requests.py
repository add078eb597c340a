"""
Receives requests in the thread that runs them.

ipykernel 7 receives them in another thread, for subshells, which this client does not use. That thread passes on each request and each reply.
With this step, a reply is sent at once instead of at the next turn of the event loop.
"""


def install():
    from IPython import get_ipython
    from zmq import POLLIN, POLLOUT
    from zmq.eventloop.zmqstream import ZMQStream

    kernel = get_ipython().kernel
    thread, loop = kernel.shell_channel_thread, kernel.io_loop
    manager, old = thread.manager, thread.shell_stream
    look_again = ZMQStream._update_handler
    pair, find_socket = manager._shell_channel_to_main, manager.get_subshell_to_shell_channel_socket
    take = pair.to_stream._recv_callback
    if manager._shell_stream is not old:
        raise AttributeError('another stream of shell')

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
                # Sending consumes the socket's event for messages that have arrived.
                look_again(stream, POLLIN)

        manager.get_subshell_to_shell_channel_socket = lambda id: own_replies if id is None else find_socket(id)

    thread.io_loop.add_callback(give_up)
