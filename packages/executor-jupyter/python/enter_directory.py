"""
Moves a kernel whose working directory was removed into the new directory at the same path. It fails where the directory is a mount, because
the mount still refers to the removed directory.
"""


def install(path):
    import os

    try:
        os.getcwd()
    except OSError:
        os.chdir(path)
        os.getcwd()
