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
    if module.written >= module.MOST or module.is_empty(figure) or module.is_shown(figure):
        return
    module.written += 1
    session.shown.publish("display", {"text/plain": repr(figure), **picture_of(figure)}, {}, {})
    # The name of no file: the picture is shown, and cannot be taken back.
    figure.fenced_pictures.add("")


def picture_of(figure):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", bbox_inches="tight")
    return {"image/png": binascii.b2a_base64(buffer.getvalue(), newline=False).decode()}


def show_open_figures(session):
    module = sys.modules.get(BACKEND)
    if module is None:
        return
    try:
        module.show()
    finally:
        module.written = 0


def add_figure(value, data):
    """A figure as the value of a line. It is not shown again at the end of the cell."""
    module = sys.modules.get(BACKEND)
    if module is None or not isinstance(value, module.Figure) or module.is_empty(value):
        return
    module.follow(value)
    data.update(picture_of(value))
    value.fenced_pictures.add("")
