"""
Shows the figures of Matplotlib as a program without a screen means them.

- An empty figure is not a result. A plain kernel shows its name.
- `plt.savefig` after `plt.show` saves the figure that was shown. A plain kernel has closed it, and saves an empty one.
- `matplotlib.use("Agg")` keeps the kernel's backend, which draws with Agg as well and shows figures as results.

Parts of Matplotlib are changed when a cell imports them.
"""


def install():
    import functools, os, sys
    from IPython import get_ipython

    shell = get_ipython()
    formatter, inline = shell.display_formatter, os.environ.get('MPLBACKEND', '')
    format = formatter.format

    def is_figure(value):
        module = sys.modules.get('matplotlib.figure')
        return isinstance(value, getattr(module, 'Figure', ()))

    def is_empty(figure):
        parts = getattr(figure, 'subfigs', ())
        return all(child is figure.patch or child in parts and is_empty(child) for child in figure.get_children())

    def format_figure(value, *args, **kwargs):
        if not is_figure(value):
            return format(value, *args, **kwargs)
        if is_empty(value):
            return {}, {}
        if value.__class__ not in formatter.formatters['image/png']:
            # With a backend that the program chose.
            from IPython.core.pylabtools import select_figure_formats
            select_figure_formats(shell, {'png'})
        return format(value, *args, **kwargs)

    def keep_inline(name, module):
        choose = getattr(module, name)

        @functools.wraps(choose)
        def choose_inline(backend, *args, **kwargs):
            if str(backend).lower() == 'agg':
                # The module of the backend reads it.
                sys.modules['matplotlib'].rcParams['backend'] = backend = inline
            return choose(backend, *args, **kwargs)

        setattr(module, name, choose_inline)

    def save_shown(module):
        new, show, managers = module.new_figure_manager_given_figure, module.show, module.Gcf
        shown = None

        def new_manager(number, figure):
            manager = new(number, figure)
            if shown is not None and is_for_gcf():
                stand_in(manager.canvas, shown)
            return manager

        def stand_in(canvas, shown):
            save = canvas.print_figure
            canvas.print_figure = lambda *args, **kwargs: (shown.print_figure if is_empty(canvas.figure) else save)(*args, **kwargs)

        # It keeps its state in its attributes.
        @functools.wraps(show)
        def show_and_keep(*args, **kwargs):
            nonlocal shown
            canvases = [manager.canvas for manager in managers.get_all_fig_managers()]
            active = managers.get_active()
            show(*args, **kwargs)
            if active is not None and not is_empty(active.canvas.figure):
                shown = active.canvas
            for canvas in canvases:
                # Matplotlib 3.10 and later give a closed figure another canvas.
                canvas.figure.set_canvas(canvas)

        module.new_figure_manager_given_figure, module.show = new_manager, show_and_keep

    def is_for_gcf():
        frame = sys._getframe()
        while frame is not None:
            if frame.f_code.co_name == 'gcf' and frame.f_globals.get('__name__') == 'matplotlib.pyplot':
                return True
            frame = frame.f_back
        return False

    class Finder:
        """Finds each module once, as the other finders do."""

        @staticmethod
        def find_spec(name, path=None, target=None):
            change = changes.pop(name, None)
            if change is None:
                return None
            for finder in sys.meta_path:
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    spec.loader = Loader(spec.loader, change)
                    return spec

    class Loader:
        def __init__(self, loader, change):
            self.loader, self.change = loader, change

        def create_module(self, spec):
            return self.loader.create_module(spec)

        def exec_module(self, module):
            module.__spec__.loader = module.__loader__ = self.loader
            self.loader.exec_module(module)
            self.change(module)

    changes = {}
    if 'inline' in inline:
        changes = {
            'matplotlib': functools.partial(keep_inline, 'use'),
            'matplotlib.pyplot': functools.partial(keep_inline, 'switch_backend'),
            'matplotlib_inline.backend_inline': save_shown,
        }
        sys.meta_path.insert(0, Finder)
    formatter.format = format_figure
