"""What the resident Python has defined when the parts of a session follow."""

import _signal
import _socket
import ctypes
import gc
import io
import os
import select
import stat
import sys
import time

STDIN, STDOUT, STDERR = 0, 1, 2
CHUNK, MFD_CLOEXEC = 65536, 1
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36
prctl = ctypes.pythonapi.prctl
