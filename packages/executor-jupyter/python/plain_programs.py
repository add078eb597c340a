"""
Takes back the variables with which ipykernel makes programs print colors (`FORCE_COLOR`, `CLICOLOR_FORCE`, `TERM`): nothing interprets colors, and
Node warns that `NO_COLOR` has no effect. Variables that the caller has set keep the caller's values.
"""


def install(values):
    import os

    for name in ('FORCE_COLOR', 'CLICOLOR', 'CLICOLOR_FORCE'):
        os.environ.pop(name, None)
    os.environ.update({'NO_COLOR': '1', 'TERM': 'dumb', **values})
