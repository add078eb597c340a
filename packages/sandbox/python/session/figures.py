"""Matplotlib's figures in a session: the backend of blocks, which shows each picture as a result of the cell."""

BACKEND = "fenced_figures"


class FiguresFinder:
    """Names the backend when Matplotlib is imported, and makes its module."""

    def __init__(self, source, directory):
        self.source = source
        self.path = os.path.join(directory, BACKEND + ".py")
        self.new_spec = type(sys.__spec__)

    def find_spec(self, name, path=None, target=None):
        if name == "matplotlib":
            choose_backend(os.environ)
        return self.new_spec(BACKEND, self) if name == BACKEND else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__file__ = self.path
        exec(compile(self.source, self.path, "exec"), vars(module))
        module.save = lambda figure: show_figure(module, figure)
        atexit.unregister(module.show_what_is_open)


def choose_backend(variables):
    """Programs that a cell starts do not find the module, so it is in the environment only until Matplotlib has read it."""
    variables["MPLBACKEND"] = "module://" + BACKEND
    matplotlib = sys.modules.get("matplotlib")
    if hasattr(matplotlib, "rcParams"):
        matplotlib.rcParams["backend"] = variables["MPLBACKEND"]


def show_figure(module, figure):
    module.follow(figure)
    # The host limits the results of a cell, and says so.
    if module.is_empty(figure) or module.is_shown(figure):
        return
    session.shown.publish("display", {"text/plain": repr(figure), **picture_of(figure)}, {}, {})
    # The name of no file: the picture is shown, and cannot be taken back.
    figure.fenced_pictures.add("")


def picture_of(figure):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", bbox_inches="tight")
    return {"image/png": binascii.b2a_base64(buffer.getvalue(), newline=False).decode()}


def backend_of_open_figures():
    """The backend that the program has chosen in place of ours, if figures are open; the host knows which show none."""
    helpers, matplotlib = sys.modules.get("matplotlib._pylab_helpers"), sys.modules.get("matplotlib")
    try:
        return matplotlib.get_backend() if helpers is not None and helpers.Gcf.figs else None
    except Exception:
        # The program has replaced a part of the library.
        return None


def show_open_figures(session):
    module = sys.modules.get(BACKEND)
    if module is None:
        return
    module.show()


def add_figure(value, data):
    """A figure as the value of a line. It is not shown again at the end of the cell."""
    module = sys.modules.get(BACKEND)
    if module is None or not isinstance(value, module.Figure) or module.is_empty(value):
        return
    module.follow(value)
    data.update(picture_of(value))
    value.fenced_pictures.add("")
