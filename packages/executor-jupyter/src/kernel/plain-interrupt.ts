/**
 * Makes IPython show where a cell was interrupted as Python itself does. With colours and the lines around each place it
 * takes longer than an interrupt may take to show an effect, so that the next one comes in the middle of it, and what
 * is shown first was not even loaded.
 */
const source = `
def install():
    from IPython import get_ipython

    tracebacks = get_ipython().InteractiveTB
    render = tracebacks.structured_traceback

    def render_plainly(kind, *rest, **options):
        if kind is not KeyboardInterrupt:
            return render(kind, *rest, **options)
        mode = tracebacks.mode
        tracebacks.set_mode('Plain')
        try:
            return render(kind, *rest, **options)
        finally:
            tracebacks.set_mode(mode)

    tracebacks.structured_traceback = render_plainly

install()
`

/** A line of Python that leaves no name behind. */
export const plainInterrupt = `exec(${JSON.stringify(source)}, {})`
