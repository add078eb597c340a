"""Runs the steps of the setup, each guarded separately: a step that this kernel does not support changes nothing for the others."""


def install(steps):
    """Returns the version of ipykernel and a line for each step that failed, as hexadecimal digits of UTF-8."""
    off = []
    for name, source, arguments in steps:
        try:
            names = {}
            exec(source, names)
            names['install'](**arguments)
        except Exception as error:
            off.append('%s %s: %s' % (name, type(error).__name__, ' '.join(str(error)[:200].split())))
    return '\n'.join([ipykernel_version(), *off]).encode().hex()


def ipykernel_version():
    try:
        import ipykernel

        return str(ipykernel.__version__)
    except Exception:
        return ''
