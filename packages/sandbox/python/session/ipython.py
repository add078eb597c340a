"""`IPython.display` in a session: IPython's own where it is installed, with the session's `display`; otherwise these classes."""

SOURCE = '''
class DisplayObject:
    """What `display` shows as one kind of data."""
    kind, is_binary = "text/plain", False

    def __init__(self, data=None, url=None, filename=None, metadata=None):
        if isinstance(data, (str, bytes)) and url is None and filename is None and is_url(data):
            url, data = data, None
        self.data, self.url, self.filename, self.metadata = data, url, filename, metadata
        self.reload()

    def reload(self):
        if self.filename is not None:
            with open(self.filename, "rb" if self.is_binary else "r") as file:
                self.data = file.read()
        elif self.url is not None and self.data is None:
            from urllib.request import urlopen
            with urlopen(self.url) as answer:
                content = answer.read()
            self.data = content if self.is_binary else content.decode("utf-8", "replace")

    def __repr__(self):
        return "<IPython.core.display.%s object>" % type(self).__name__

    def _repr_mimebundle_(self, include=None, exclude=None):
        data = {self.kind: self.data}
        return (data, {self.kind: self.metadata}) if self.metadata else data


def is_url(data):
    return isinstance(data, str) and data.lower().startswith(("http://", "https://"))


class HTML(DisplayObject):
    kind = "text/html"

    def _repr_html_(self):
        return self.data

    __html__ = _repr_html_


class Markdown(DisplayObject):
    kind = "text/markdown"


class Latex(DisplayObject):
    kind = "text/latex"


class Math(DisplayObject):
    kind = "text/latex"

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {self.kind: "$\\\\displaystyle %s$" % self.data.strip("$")}


class SVG(DisplayObject):
    kind = "image/svg+xml"


class JSON(DisplayObject):
    kind = "application/json"

    def __init__(self, data=None, url=None, filename=None, expanded=False, metadata=None, root="root", **more):
        super().__init__(data, url, filename, {"expanded": expanded, "root": root, **(metadata or {}), **more})

    def _repr_mimebundle_(self, include=None, exclude=None):
        import json
        data = json.loads(self.data) if isinstance(self.data, (str, bytes)) else self.data
        return {self.kind: data}, {self.kind: self.metadata}


class Javascript(DisplayObject):
    kind = "application/javascript"


class Pretty(DisplayObject):
    def __repr__(self):
        return str(self.data)


class Image(DisplayObject):
    is_binary = True
    KINDS = {b"\\x89PNG": "image/png", b"\\xff\\xd8\\xff": "image/jpeg", b"GIF8": "image/gif", b"RIFF": "image/webp"}

    def __init__(self, data=None, url=None, filename=None, format=None, embed=None, width=None, height=None, metadata=None, alt=None, **_):
        if isinstance(data, str) and not is_url(data) and filename is None:
            data, filename = None, data
        sizes = {"width": width, "height": height, "alt": alt}
        super().__init__(data, url, filename, {**(metadata or {}), **{name: value for name, value in sizes.items() if value is not None}})

    def _repr_mimebundle_(self, include=None, exclude=None):
        kind = next((kind for start, kind in self.KINDS.items() if bytes(self.data[:4]).startswith(start)), "image/png")
        return {kind: self.data}, {kind: self.metadata}
'''


class IPythonFinder:
    """Puts the session's functions into IPython's module when that is imported."""

    def __init__(self):
        self.substitute = Substitute()

    def find_spec(self, name, path=None, target=None):
        if name != "IPython.core.display_functions":
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None:
                spec.loader = DisplayLoader(spec.loader)
                return spec
        return None


class DisplayLoader:
    def __init__(self, loader):
        self.loader = loader

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        self.loader.exec_module(module)
        vars(module).update(names_of_display())


class Substitute:
    """Makes `IPython` and `IPython.display` where IPython is not installed: the last finder."""

    def find_spec(self, name, path=None, target=None):
        if name not in ("IPython", "IPython.display", "IPython.core", "IPython.core.display"):
            return None
        is_package = name in ("IPython", "IPython.core")
        return type(sys.__spec__)(name, self, is_package=is_package)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        if module.__name__ in ("IPython.display", "IPython.core.display"):
            exec(SOURCE, vars(module))
            vars(module).update(names_of_display())
        elif module.__name__ == "IPython":
            module.get_ipython = lambda: None
            module.__version__ = "0"


def names_of_display():
    return {"display": display, "update_display": update_display, "clear_output": clear_output, "DisplayHandle": DisplayHandle}
