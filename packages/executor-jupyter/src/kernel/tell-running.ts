import type { SetupStep } from './setup-step.ts'

/** Asks a kernel on `control` whether it runs the code of a cell. The reply has {@link isRunningName}. */
export const askRunningType = 'fenced_ask_running'

/** Name of a boolean in the content of the reply. */
export const isRunningName = 'is_running'

/**
 * Lets the client ask whether the code of a cell is running. ipykernel ignores an interrupt between two cells, and one that comes while it
 * prepares a cell ends the cell without a reply. With the answer, one interrupt is enough: the client sends it when the code can receive it.
 */
const source = `
def install():
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
        send(stream, '${askRunningType}_reply', {'${isRunningName}': is_running}, request, ident=identity)

    events.register('pre_run_cell', begin)
    events.register('post_run_cell', end)
    handlers['${askRunningType}'] = tell

install()
`

export const tellRunning: SetupStep = { name: 'tell-running', source }
