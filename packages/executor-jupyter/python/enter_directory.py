"""
Moves a kernel whose working directory was removed into the directory that is at its path now. It fails in a kernel that has the directory by a
mount, which remains that of the removed directory.
"""


def install(path):
    import os

    try:
        os.getcwd()
    except OSError:
        os.chdir(path)
        os.getcwd()
