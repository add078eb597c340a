"""
Starts the ipykernel of any Python, as `-m ipykernel_launcher` does. The launcher itself imports modules before it removes the working directory
from its path, so a file there could replace a module of the kernel.
"""

import sys

if not getattr(sys.flags, "safe_path", False):
    del sys.path[0]

import runpy

runpy.run_module("ipykernel_launcher", run_name="__main__", alter_sys=True)
