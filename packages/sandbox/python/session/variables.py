"""The variables of a session for people: name, type, size and a short preview. None of this calls code of the session."""

MOST_VARIABLES = 500
MOST_CHARACTERS = 120
MOST_SHOWN_ITEMS, MOST_DEPTH = 8, 3
# Kinds whose text takes no code of a session, and is never longer than they are.
PLAIN_KINDS = bool, float, complex, type(None), type(Ellipsis), type(NotImplemented), range
TEXT_KINDS = str, bytes, bytearray
COLLECTIONS = {list: "[]", tuple: "()", set: "{}", frozenset: "{}", dict: "{}"}
# Kinds of libraries, by their modules: what tells their size, as attributes that these libraries compute in C or from their own state.
SHAPES = (
    ("numpy", "ndarray", "shape"),
    ("pandas", "DataFrame", "shape"),
    ("pandas", "Series", "shape"),
    ("pandas", "Index", "shape"),
    ("polars", "DataFrame", "shape"),
    ("polars", "Series", "shape"),
    ("pyarrow", "Table", "shape"),
    ("torch", "Tensor", "shape"),
)


def describe_variables(namespace, hidden=()):
    """Those that a session has made, in the order in which it did: modules, functions and classes as well."""
    found = []
    for name, value in list(namespace.items()):
        if type(name) is str and not name.startswith("_") and name not in hidden:
            found.append({"name": shortened(name), **describe(value)})
    return found[-MOST_VARIABLES:]


def describe(value):
    kind = type(value)
    described = {"type": kind_name(kind), "preview": shortened(preview(value, 0))}
    size = size_of(value, kind)
    if size is not None:
        described["sizeBytes"] = size
    return described


def kind_name(kind):
    """Of the class itself: a metaclass may have another name for it."""
    name = type.__dict__["__name__"].__get__(kind)
    module = type.__dict__["__dict__"].__get__(kind).get("__module__")
    is_short = type(module) is not str or module in ("builtins", "__main__")
    return shortened(name if is_short else module.partition(".")[0] + "." + name)


def size_of(value, kind):
    """In bytes, without what it refers to. `None` where only code of a session could tell."""
    if kind in COLLECTIONS or kind in TEXT_KINDS or kind in PLAIN_KINDS or kind is int:
        return sys.getsizeof(value)
    numpy = sys.modules.get("numpy")
    if type(numpy) is type(sys) and vars(numpy).get("ndarray") is kind:
        return value.nbytes
    return None


def shape_of(value, kind):
    for module, name, attribute in SHAPES:
        module = sys.modules.get(module)
        if type(module) is type(sys) and vars(module).get(name) is kind:
            try:
                return [int(length) for length in getattr(value, attribute)]
            except Exception:
                return None
    return None


def preview(value, depth):
    kind = type(value)
    if kind in PLAIN_KINDS:
        return repr(value)
    if kind is int:
        # A long one takes time that grows with its square.
        return repr(value) if value.bit_length() < 400 else "<int of %d bits>" % value.bit_length()
    if kind in TEXT_KINDS:
        return repr(value[:MOST_CHARACTERS])
    if kind in COLLECTIONS:
        return preview_items(value, kind, depth)
    if kind is type(sys):
        return "<module %s>" % vars(value).get("__name__")
    if kind in (type(preview), type(len)):
        return "<function %s>" % value.__name__
    if issubclass(kind, type):
        return "<class %s>" % kind_name(value)
    shape = shape_of(value, kind)
    if shape is not None:
        return "<%s of %s>" % (kind_name(kind), " × ".join(map(str, shape)))
    return "<%s>" % kind_name(kind)


def preview_items(value, kind, depth):
    if depth >= MOST_DEPTH and value:
        return "…".join(COLLECTIONS[kind])
    parts = []
    for item in value.items() if kind is dict else value:
        if len(parts) == MOST_SHOWN_ITEMS:
            parts.append("…")
            break
        parts.append(": ".join(preview(part, depth + 1) for part in item) if kind is dict else preview(item, depth + 1))
    if kind is tuple and len(parts) == 1:
        parts.append("")
    left, right = COLLECTIONS[kind]
    if not parts and kind in (set, frozenset):
        return kind.__name__ + "()"
    text = left + ", ".join(parts).rstrip(" " if kind is tuple else "") + right
    return "frozenset(%s)" % text if kind is frozenset else text


def shortened(text, most=MOST_CHARACTERS):
    """The host looks for parts of secrets at the `…`."""
    return text if len(text) <= most else text[: most - 1] + "…"
