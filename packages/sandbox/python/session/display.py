"""What a cell shows: the value of its last line, `display()`, and figures."""

import binascii

# Representations by the method that gives them, in IPython's order.
METHODS = (
    ("_repr_html_", "text/html"),
    ("_repr_markdown_", "text/markdown"),
    ("_repr_svg_", "image/svg+xml"),
    ("_repr_png_", "image/png"),
    ("_repr_pdf_", "application/pdf"),
    ("_repr_jpeg_", "image/jpeg"),
    ("_repr_latex_", "text/latex"),
    ("_repr_json_", "application/json"),
    ("_repr_javascript_", "application/javascript"),
)
# The host takes no larger result, in bytes.
LARGEST_RESULT = 32 * 2**20


class Shown:
    """The results of a session. `values` is `Out`."""

    def __init__(self, session):
        self.session = session
        self.values = {}
        # What `_`, `__` and `___` were set to: a program that uses these names keeps its own values.
        self.last = ["", "", ""]

    def value(self, value):
        """`sys.displayhook` of cells."""
        if value is None:
            return
        session = self.session
        if _thread.get_ident() != session.line.interrupts.main or not session.line.is_ours:
            return print(repr(value))
        if value is not self.values:
            self.keep(value)
        self.publish("value", *bundle_of(value), {})

    def keep(self, value):
        names, count = self.session.namespace, self.session.count
        self.values[count] = names["_%d" % count] = value
        marks = ("_", "__", "___")
        if all(names.get(mark, last) is last for mark, last in zip(marks, self.last)):
            self.last = [value, *self.last[:2]]
            names.update(zip(marks, self.last))

    def publish(self, kind, data, metadata, transient):
        """Sends a result behind all that was printed before it."""
        line = self.session.line
        if not data and kind == "value":
            return
        body = {"kind": kind, "data": data, "metadata": metadata, "transient": transient}
        if kind == "value":
            body["count"] = self.session.count
        frame = as_json(body)
        if len(frame) > LARGEST_RESULT:
            text = "(a result of %d bytes, which is more than %d)" % (len(frame), LARGEST_RESULT)
            frame = as_json({**body, "data": {"text/plain": text}, "metadata": {}})
        flush_all()
        line.send(b"v", frame)
        # The value of the last line is followed by the report of the cell.
        if kind != "value" and _thread.get_ident() == line.interrupts.main:
            line.send(b"w")
            line.wait_for(b"w")

    def end_cell(self):
        show_open_figures(self.session)


def bundle_of(value, include=None, exclude=None):
    """All representations of a value, and their metadata, as IPython chooses them."""
    show = method_of(value, "_ipython_display_")
    if show is not None and (include, exclude) == (None, None):
        try:
            show()
            return {}, {}
        except NotImplementedError:
            pass
        except Exception:
            tell_broken(value, "_ipython_display_")
    data, metadata = {}, {}
    add_bundle(value, (include, exclude), (data, metadata))
    for name, kind in METHODS:
        if kind not in data and is_wanted(kind, include, exclude):
            given = call_representation(value, name)
            if given is not None:
                add_representation(kind, given, (data, metadata))
    if "text/plain" not in data:
        text = text_of(value)
        if text is not None:
            data = {"text/plain": text, **data}
    add_figure(value, data)
    return data, metadata


def add_bundle(value, wanted, into):
    method = method_of(value, "_repr_mimebundle_")
    if method is None:
        return
    try:
        given = method(include=wanted[0], exclude=wanted[1])
    except NotImplementedError:
        return
    except Exception:
        return tell_broken(value, "_repr_mimebundle_")
    bundle, details = given if type(given) is tuple and len(given) == 2 else (given, {})
    for kind, part in dict(bundle or {}).items():
        if is_wanted(kind, *wanted):
            add_representation(kind, part, into)
    into[1].update(details or {})


def call_representation(value, name):
    method = method_of(value, name)
    if method is None:
        return None
    try:
        return method()
    except NotImplementedError:
        return None
    except Exception:
        return tell_broken(value, name)


def add_representation(kind, given, into):
    details = None
    if type(given) is tuple and len(given) == 2:
        given, details = given
    if isinstance(given, (bytes, bytearray)):
        given = binascii.b2a_base64(given, newline=False).decode() if not kind.startswith("text/") else given.decode("utf-8", "replace")
    try:
        json.dumps(given)
    except (TypeError, ValueError):
        given = str(given)
    into[0][str(kind)] = given
    if details:
        into[1][str(kind)] = details


def is_wanted(kind, include, exclude):
    return (not include or kind in include) and not (exclude and kind in exclude)


def method_of(value, name):
    """A method of the value's class, or of the value. A class has those of its instances, which cannot be called."""
    if isinstance(value, type):
        return None
    try:
        if hasattr(value, "_fenced_no_such_method_"):
            # It has every attribute, as a mock does.
            return None
        method = getattr(value, name, None)
    except Exception:
        return None
    return method if callable(method) else None


def text_of(value):
    try:
        return pretty(value)
    except Exception:
        tell_broken(value, "__repr__")
        return object.__repr__(value)


def tell_broken(value, name):
    """A broken representation is said on stderr, and the others are shown."""
    error = sys.exc_info()[1]
    what = "".join(traceback.format_exception_only(type(error), error)).strip()
    write_all(STDERR, ("%s.%s failed: %s\n" % (type(value).__name__, name, what)).encode("utf-8", "backslashreplace"))


class DisplayHandle:
    """A display that can be updated, as in IPython."""

    def __init__(self, display_id=None):
        self.display_id = os.urandom(16).hex() if display_id is None else display_id

    def __repr__(self):
        return "<DisplayHandle display_id=%s>" % self.display_id

    def display(self, value, **options):
        display(value, display_id=self.display_id, **options)

    def update(self, value, **options):
        update_display(value, display_id=self.display_id, **options)


def display(*values, include=None, exclude=None, metadata=None, transient=None, display_id=None, raw=False, clear=False, **more):
    """Shows values with all their representations, as in IPython."""
    is_update = more.pop("update", False)
    transient = dict(transient or {})
    if display_id is True:
        display_id = os.urandom(16).hex()
    if display_id is not None:
        transient["display_id"] = str(display_id)
    if clear:
        clear_output(wait=True)
    for value in values:
        data, details = (value, {}) if raw else bundle_of(value, include, exclude)
        if data or raw:
            details = {**details, **(metadata or {})}
            session.shown.publish("update" if is_update else "display", data, details, transient)
    if display_id is not None and not is_update:
        return DisplayHandle(transient["display_id"])


def update_display(value, *, display_id, **options):
    """Updates all displays with an id."""
    options["update"] = True
    display(value, display_id=display_id, **options)


def clear_output(wait=False):
    """Clears the output of the cell, at once or with the next output."""
    session.shown.publish("clear-next" if wait else "clear", {}, {}, {})
