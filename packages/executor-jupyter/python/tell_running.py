"""
Lets the client ask whether the code of a cell is running.

ipykernel ignores an interrupt between two cells, and an interrupt that comes while it prepares a cell ends the cell without a reply. With the
answer, one interrupt is enough: the client sends it when the code can receive it.
"""


def install(ask_type, is_running_name):
    from IPython import get_ipython

    shell = get_ipython()
    kernel, events = shell.kernel, shell.events
    handlers, send = kernel.control_handlers, kernel.session.send
    is_running = False

    def begin(*_):
        nonlocal is_running
        is_running = True

    def end(*_):
        nonlocal is_running
        is_running = False

    def tell(stream, identity, request):
        send(stream, ask_type + '_reply', {is_running_name: is_running}, request, ident=identity)

    events.register('pre_run_cell', begin)
    events.register('post_run_cell', end)
    handlers[ask_type] = tell
