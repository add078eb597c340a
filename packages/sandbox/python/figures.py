"""Matplotlib's backend of a block: figures that are shown, and those that are open at its end, become files for the host.

The host writes this file beside the program, puts its name into MPLBACKEND, and takes the pictures: a program that does not
import Matplotlib does not load it.
"""

import atexit
import inspect
import os
import sys

from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

# The directory that the program starts in. The program may change its directory later.
PREFIX = os.path.splitext(os.path.abspath(__file__))[0]
# How many pictures the host takes.
MOST = 50
written = 0
# How many directories of the working directory this file is in. The host appends the number.
levels = 0

# A Python that this one starts does not find this module.
os.environ["MPLBACKEND"] = "Agg"


class FigureManager(FigureManagerBase):
    def show(self):
        """Called by `Figure.show`."""
        save(self.canvas.figure)


class FigureCanvas(FigureCanvasAgg):
    manager_class = FigureManager

    def print_figure(self, filename, *args, **kwargs):
        result = super().print_figure(filename, *args, **kwargs)
        path = file_of(filename, self.get_default_filetype())
        if path is not None:
            note(self.figure, path)
        return result


def file_of(target, extension):
    """The file in the working directory to which a figure was saved; `None` for another target, such as a buffer."""
    name = target if isinstance(target, (str, os.PathLike)) else getattr(target, "name", None)
    if not isinstance(name, (str, os.PathLike)):
        return None
    path = os.path.realpath(os.fspath(name))
    if not os.path.splitext(path)[1]:
        path = path.rstrip(".") + "." + extension
    root = os.path.dirname(os.path.realpath(PREFIX))
    for _ in range(levels):
        root = os.path.dirname(root)
    return path if path.startswith(os.path.join(root, "")) else None


def note(figure, path):
    """Writes the list of files that show the current state of the figure. A figure reports its changes."""
    if getattr(figure, "fenced_files", None) is None:
        figure.fenced_files = set()
        follow(figure)
    figure.fenced_files.add(path)


def follow(figure):
    tell = figure.stale_callback

    def forget(figure, value):
        if figure.fenced_files and not is_rendering():
            figure.fenced_files.clear()
        if tell is not None:
            tell(figure, value)

    figure.stale_callback = forget


# These change a figure, and take it back.
rendering = {
    inspect.unwrap(function).__code__ for function in (Figure.savefig, Figure.draw, FigureCanvas.print_figure)
}


def is_rendering():
    frame = sys._getframe()
    while frame is not None and frame.f_code not in rendering:
        frame = frame.f_back
    return frame is not None


def is_in_file(figure):
    return any(map(os.path.isfile, getattr(figure, "fenced_files", None) or ()))


def save(figure):
    global written
    if written >= MOST or is_in_file(figure):
        return
    written += 1
    # The other name shows that the file is whole.
    path = "%s-%d.png" % (PREFIX, written)
    figure.savefig(path + ".part", format="png", bbox_inches="tight")
    os.replace(path + ".part", path)


def show(*args, **kwargs):
    for manager in Gcf.get_all_fig_managers():
        save(manager.canvas.figure)
    Gcf.destroy_all()


def show_what_is_open():
    if os.getpid() == owner:
        show()


owner = os.getpid()
atexit.register(show_what_is_open)
