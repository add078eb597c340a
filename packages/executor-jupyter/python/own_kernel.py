"""
Becomes ipykernel's kernel, as `-m ipykernel_launcher` does, but without what takes a third of the start to load and serves no request
that this client makes: the debugger, and of two packages what a kernel does not use. A program can load all of it. What stands in the
working directory is not loaded instead of a module of the kernel.

Where it is not the main program it only imports: a fork finds that done.
"""

import importlib
import importlib.util
import runpy
import sys
import threading


def load_later(name, exports):
    """Makes a package have no more than these, by the modules that define them, until something else of it is used."""
    spec = importlib.util.find_spec(name)
    package = importlib.util.module_from_spec(spec)
    is_loaded = False
    loading = threading.RLock()

    def load(attribute):
        nonlocal is_loaded
        with loading:
            if not is_loaded:
                is_loaded = True
                spec.loader.exec_module(package)
        if attribute in vars(package):
            return vars(package)[attribute]
        raise AttributeError(f"module {name!r} has no attribute {attribute!r}")

    package.__getattr__ = load
    sys.modules[name] = package
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, package)
    for module, names in exports.items():
        defining = importlib.import_module("." + module, name)
        for export in names:
            setattr(package, export, getattr(defining, export))


def load_in_part():
    for name, exports in (
        ("dateutil.parser", {"isoparser": ["isoparse"]}),
        (
            "jupyter_client",
            {"blocking": ["BlockingKernelClient"], "connect": ["find_connection_file", "write_connection_file"]},
        ),
    ):
        try:
            load_later(name, exports)
        except (ImportError, AttributeError):
            # Another version, which comes as a whole.
            pass
    if "debugpy" not in sys.modules:
        # Such an entry makes its import fail.
        sys.modules["debugpy"] = None
        try:
            import ipykernel.debugger
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


if __name__ == "__main__" and not getattr(sys.flags, "safe_path", False):
    del sys.path[0]
if "ipykernel" not in sys.modules:
    load_in_part()
if __name__ == "__main__":
    runpy.run_module("ipykernel_launcher", run_name="__main__", alter_sys=True)
else:
    load_ahead()
