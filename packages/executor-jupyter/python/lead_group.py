"""
Makes a kernel the leader of a process group. A kernel that receives an interrupt as a message then also interrupts what a cell has started, as
a signal to the group does.
"""


def install():
    import os

    if hasattr(os, 'setpgid') and os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
