"""Matplotlib's backend of a block: figures that are shown, and those that are open at its end, become files for the host.

The host writes this file beside the program, puts its name into MPLBACKEND, and takes the pictures: a program that does not
import Matplotlib does not load it.
"""

import atexit
import os

from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

# The directory is that of the program, wherever it goes meanwhile.
PREFIX = os.path.splitext(os.path.abspath(__file__))[0]
# How many pictures the host takes.
MOST = 50
written = 0

# A Python that this one starts does not find this module.
os.environ["MPLBACKEND"] = "Agg"


class FigureManager(FigureManagerBase):
    def show(self):
        """Called by `Figure.show`."""
        save(self.canvas.figure)


class FigureCanvas(FigureCanvasAgg):
    manager_class = FigureManager

    def print_figure(self, *args, **kwargs):
        result = super().print_figure(*args, **kwargs)
        # What the program has saved itself is not shown once more.
        self.figure.fenced_is_saved = True
        return result


def save(figure):
    global written
    if written >= MOST or getattr(figure, "fenced_is_saved", False):
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
