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
# The current figure when figures were last shown. Then it is closed, and a program can still save it.
shown_last = None
# How many directories of the working directory this file is in. The host appends the number.
levels = 0

# A Python that this one starts does not find this module.
os.environ["MPLBACKEND"] = "Agg"


class FigureManager(FigureManagerBase):
    def __init__(self, canvas, num):
        super().__init__(canvas, num)
        if is_for_gcf():
            canvas.shown_last = shown_last

    def show(self):
        """Called by `Figure.show`."""
        save(self.canvas.figure)


class FigureCanvas(FigureCanvasAgg):
    manager_class = FigureManager
    # The figure that `plt.savefig` saves after `plt.show`, in place of the empty figure of `plt.gcf`.
    shown_last = None

    def print_figure(self, filename, *args, **kwargs):
        if self.shown_last is not None and is_empty(self.figure):
            return self.shown_last.canvas.print_figure(filename, *args, **kwargs)
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


def is_for_gcf():
    """Whether a figure is created by `plt.gcf`, which found none."""
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code.co_name == "gcf" and frame.f_globals.get("__name__") == "matplotlib.pyplot":
            return True
        frame = frame.f_back
    return False


def is_empty(figure):
    return all(child is figure.patch or child in figure.subfigs and is_empty(child) for child in figure.get_children())


def note(figure, path):
    """Writes the list of files that show the current state of the figure. A figure reports its changes."""
    follow(figure)
    figure.fenced_files.add(path)
    # Also when it was shown before.
    for picture in filter(os.path.isfile, figure.fenced_pictures):
        os.remove(picture)
    figure.fenced_pictures.clear()


def follow(figure):
    if getattr(figure, "fenced_files", None) is not None:
        return
    figure.fenced_files, figure.fenced_pictures = set(), set()
    tell = figure.stale_callback

    def forget(figure, value):
        if (figure.fenced_files or figure.fenced_pictures) and not is_rendering():
            figure.fenced_files.clear()
            figure.fenced_pictures.clear()
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


def is_shown(figure):
    """Whether a picture or a file of the program shows the current state of the figure."""
    return bool(figure.fenced_pictures) or any(map(os.path.isfile, figure.fenced_files))


def save(figure):
    global written
    follow(figure)
    if written > MOST or is_empty(figure) or is_shown(figure):
        return
    written += 1
    if written > MOST:
        # Says that there were more.
        open("%s-%d.png" % (PREFIX, written), "wb").close()
        return
    # The other name shows that the file is whole.
    path = "%s-%d.png" % (PREFIX, written)
    figure.savefig(path + ".part", format="png", bbox_inches="tight")
    os.replace(path + ".part", path)
    figure.fenced_pictures.add(path)


def show(*args, **kwargs):
    global shown_last
    managers = Gcf.get_all_fig_managers()
    if managers:
        shown_last = Gcf.get_active().canvas.figure
    for manager in managers:
        save(manager.canvas.figure)
    Gcf.destroy_all()
    for manager in managers:
        # Matplotlib 3.10 and later give a closed figure another canvas. A program can still save it.
        manager.canvas.figure.set_canvas(manager.canvas)


def show_what_is_open():
    if os.getpid() == owner:
        show()


owner = os.getpid()
atexit.register(show_what_is_open)
