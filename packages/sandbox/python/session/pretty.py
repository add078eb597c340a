"""The text of a value, in lines as IPython breaks them."""

WIDTH = 79
# More items of one container are left out, as in IPython.
MOST_ITEMS = 1_000
BRACKETS = {list: "[]", tuple: "()", set: "{}", frozenset: ("frozenset({", "})"), dict: "{}"}
BUILTINS = (None, "builtins")
FUNCTIONS = type(lambda: None), type(len)


def pretty(value):
    """Containers that do not fit into one line have an item a line."""
    return lay_out(value, (0, 0, 0), ())


def lay_out(value, place, above):
    """
    The text of a value. `place` has the column where it begins, the indentation of further lines, and how many characters
    follow it; `above` has the containers that it is in.
    """
    column, indent, trailing = place
    if type(value) not in BRACKETS or not value:
        return text_of_one(value)
    if any(value is each for each in above):
        return "...".join(brackets_of(value))
    opening, closing = brackets_of(value)
    flat = opening + ", ".join(items_of(value, None, (*above, value))) + closing
    if "\n" not in flat and column + len(flat) + trailing <= WIDTH:
        return flat
    step = indent + len(opening)
    return opening + (",\n" + " " * step).join(items_of(value, step, (*above, value))) + closing


def brackets_of(value):
    opening, closing = BRACKETS[type(value)]
    return opening, ",)" if type(value) is tuple and len(value) == 1 else closing


def items_of(value, column, above):
    """The texts of the items: on one line without a column, and otherwise from that column on."""
    is_dict = type(value) is dict
    pairs = list(value.items()) if is_dict else [(None, each) for each in in_order(value)]
    texts = []
    for key, each in pairs[:MOST_ITEMS]:
        prefix = lay_out(key, (column or 0, column or 0, 0), above) + ": " if is_dict else ""
        place = (-(10**9), 0, 0) if column is None else (column + len(prefix), column, 1)
        texts.append(prefix + lay_out(each, place, above))
    return texts if len(pairs) <= MOST_ITEMS else [*texts, "..."]


def in_order(value):
    """Sets are shown sorted where their items can be."""
    if type(value) not in (set, frozenset):
        return value
    try:
        return sorted(value)
    except Exception:
        return value


def text_of_one(value):
    """Classes, functions, and instances whose class defines no `__repr__` have shorter texts than with `repr`."""
    kind = type(value)
    if isinstance(value, type) and kind.__repr__ is type.__repr__:
        return name_of(value)
    if kind in FUNCTIONS:
        return "<function %s>" % signed(value)
    if kind.__repr__ is object.__repr__:
        return "<%s at 0x%x>" % (name_of(kind), id(value))
    return repr(value)


def name_of(value):
    name, module = getattr(value, "__qualname__", value.__name__), value.__module__
    return name if module in BUILTINS else "%s.%s" % (module, name)


def signed(function):
    import inspect

    try:
        return name_of(function) + str(inspect.signature(function))
    except (TypeError, ValueError):
        return name_of(function)
