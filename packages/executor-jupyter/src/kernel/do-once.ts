/**
 * Spares each cell what ipykernel need not do again: to inspect what the method accepts that runs it, and to make records for the log that
 * none of the log's handlers writes. Where a version has other names for these parts, they stay as they are.
 */
const source = `
def install():
    import functools
    from IPython import get_ipython
    from ipykernel import ipkernel

    log = get_ipython().kernel.log
    if log.handlers and not log.propagate:
        log.setLevel(min(handler.level for handler in log.handlers))
    accepts = functools.lru_cache(maxsize=8)(ipkernel._accepts_parameters)
    ipkernel._accepts_parameters = lambda method, names: accepts(method, tuple(names))

try:
    install()
except AttributeError:
    pass
`

/** A line of Python that leaves no name behind. */
export const doOnce = `exec(${JSON.stringify(source)}, {})`
