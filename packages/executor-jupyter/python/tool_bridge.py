"""
Gives the next cell the module `tools`, until that cell has ended.

Calls are sent to the host in requests for input: as text of any length, with the token of the cell, only to the client that runs the cell. The
answers of the host are the replies.

Only one thread uses the socket meanwhile, so that every thread can call tools. Requests of `input()` go through the same thread. It stops
reading calls of a program that does not take its answers.
"""


def install(token, source):
    import queue, socket, sys, threading, types, zmq
    from IPython import get_ipython

    shell = get_ipython()
    kernel = shell.kernel
    # Of a cell that was interrupted before it could end.
    getattr(kernel, 'fenced_end_tools', lambda: None)()
    session, requests = kernel.session, kernel.stdin_socket
    identity, parent = kernel._parent_ident['shell'], kernel.get_parent()
    program, host = socket.socketpair()
    most = 2 ** 20
    questions, lines, end_of_input = queue.SimpleQueue(), queue.SimpleQueue(), '\x04'
    asks, asked = socket.socketpair()
    passed_on = threading.Event()

    def ask(prompt, ident, parent, password=False):
        sys.stdout.flush()
        # What was answered to a question that was interrupted.
        while not lines.empty():
            lines.get()
        questions.put((ident, parent, {'prompt': prompt, 'password': password}))
        asks.send(b'?')
        line = lines.get()
        if line == end_of_input:
            raise EOFError
        return line

    module = types.ModuleType('tools')
    exec(compile(source, '<tools>', 'exec'), module.__dict__)
    module._connect(program.fileno(), program.fileno())
    # Closed when no thread is in it any more.
    module._connection.socket = program

    def answers():
        while requests.poll(0):
            try:
                content = session.recv(requests, zmq.NOBLOCK)[1]['content']
                if content.get('token') == token:
                    yield content['value'].encode()
                else:
                    lines.put(content['value'])
            except (LookupError, TypeError, ValueError):
                pass

    def pass_on():
        untaken = bytearray()
        poller = zmq.Poller()
        poller.register(requests, zmq.POLLIN)
        poller.register(asked.fileno(), zmq.POLLIN)
        while True:
            calls = zmq.POLLIN if len(untaken) < most else 0
            poller.register(host.fileno(), calls | (zmq.POLLOUT if untaken else 0))
            ready = dict(poller.poll())
            for answer in answers() if requests in ready else ():
                untaken += answer
            if asked.fileno() in ready:
                asked.recv(1)
                client, cell, question = questions.get()
                session.send(requests, 'input_request', question, cell, ident=client)
            state = ready.get(host.fileno(), 0)
            if state & zmq.POLLOUT:
                del untaken[:host.send(untaken[:most])]
            if state & ~zmq.POLLOUT:
                chunk = host.recv(2 ** 16)
                if not chunk:
                    break
                content = {'prompt': token, 'password': False, 'calls': chunk.decode('latin-1')}
                session.send(requests, 'input_request', content, parent, ident=identity)

    def pass_on_until_end():
        host.setblocking(False)
        try:
            pass_on()
        except OSError:
            pass
        finally:
            host.close()
            lines.put(end_of_input)
            passed_on.set()

    class Ended:
        def call(self, tool, *_):
            raise module.ToolError('%s: the block has ended' % tool)

    shadowed = sys.modules.get('tools')
    thread = threading.Thread(target=pass_on_until_end, daemon=True)

    def end(*_):
        if sys.modules.get('tools') is module:
            del sys.modules['tools']
            if shadowed is not None:
                sys.modules['tools'] = shadowed
        module._connection = Ended()
        try:
            program.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        # Python takes a thread for ended when an interrupt came while it was joined.
        passed_on.wait()
        thread.join()
        asks.close()
        asked.close()
        if getattr(kernel, 'fenced_end_tools', None) is end:
            del kernel.fenced_end_tools, kernel.fenced_ask
            shell.events.unregister('post_run_cell', end)

    kernel.fenced_end_tools, kernel.fenced_ask = end, ask
    sys.modules['tools'] = module
    shell.events.register('post_run_cell', end)
    thread.start()
