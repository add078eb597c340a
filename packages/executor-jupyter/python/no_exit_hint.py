"""Removes the hint of IPython on how a person leaves the prompt, which follows `sys.exit` in a program."""


def install():
    import warnings

    warnings.filterwarnings('ignore', message="To exit: use 'exit', 'quit', or Ctrl-D")
