"""
Starts ipykernel, as `-m ipykernel_launcher` does, but without the debugger, which takes a quarter of the start time and which this client does
not use. A program can load it. A file in the working directory does not replace a module of the kernel, except `linecache.py`
for Python 3.13 and later: the interpreter loads it before the first statement of `-c`.

When imported, it only loads the modules, for later forks.
"""

import sys

# First: each further import would find a file of the working directory.
if __name__ == "__main__" and not getattr(sys.flags, "safe_path", False):
    del sys.path[0]

import importlib
import runpy


def load_without_debugger():
    if "debugpy" in sys.modules:
        return
    # Such an entry makes its import fail.
    sys.modules["debugpy"] = None
    try:
        importlib.import_module("ipykernel.debugger")
    except ImportError:
        pass
    del sys.modules["debugpy"]


def load_ahead():
    """What a kernel imports when it starts, and what it would wait for at its first cells."""
    importlib.import_module("ipykernel.kernelapp")
    for name in (
        "IPython.core.completerlib",
        "IPython.core.debugger",
        "IPython.core.logger",
        "IPython.core.oinspect",
        "IPython.extensions.storemagic",
        "faulthandler",
        "tornado.platform.asyncio",
        "unicodedata",
    ):
        try:
            importlib.import_module(name)
        except ImportError:
            pass


if "ipykernel" not in sys.modules:
    load_without_debugger()
if __name__ == "__main__":
    runpy.run_module("ipykernel_launcher", run_name="__main__", alter_sys=True)
else:
    load_ahead()
