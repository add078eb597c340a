"""The text of a value, in lines as IPython breaks them."""

WIDTH = 79
# More items of one container are left out, as in IPython.
MOST_ITEMS = 1_000
BRACKETS = {list: "[]", tuple: "()", set: "{}", frozenset: ("frozenset({", "})"), dict: "{}"}


def pretty(value):
    """Containers that do not fit into one line have an item a line."""
    return lay_out(value, 0, 0, ())


def lay_out(value, indent, trailing, above):
    """
    The text of a value that begins at a column, and behind which come so many characters. `above` has the containers that it
    is in.
    """
    kind = type(value)
    if kind not in BRACKETS or kind.__repr__ is not vars(kind)["__repr__"]:
        return repr(value)
    if any(value is each for each in above):
        return "<Recursion on %s with id=%d>" % (kind.__name__, id(value)) if kind is dict else brackets_of(kind)[0] + "..." + brackets_of(kind)[1]
    if not value:
        return repr(value)
    opening, closing = brackets_of(kind)
    above = (*above, value)
    flat = opening + ", ".join(items_of(value, None, above)) + (",)" if kind is tuple and len(value) == 1 else closing)
    if "\n" not in flat and indent + len(flat) + trailing <= WIDTH:
        return flat
    step = indent + len(opening)
    items = items_of(value, step, above)
    end = ",)" if kind is tuple and len(value) == 1 else closing
    return opening + (",\n" + " " * step).join(items) + end


def brackets_of(kind):
    return BRACKETS[kind][0], BRACKETS[kind][1]


def items_of(value, column, above):
    """The texts of the items: on one line without a column, and otherwise from that column on."""
    if isinstance(value, (set, frozenset)):
        value = in_order(value)
    pairs = list(value.items()) if isinstance(value, dict) else [(None, each) for each in value]
    texts = []
    for key, each in pairs[:MOST_ITEMS]:
        prefix = "" if not isinstance(value, dict) else lay_out(key, column or 0, 0, above) + ": "
        if column is None:
            texts.append(prefix + flat_of(each, above))
        else:
            texts.append(prefix + lay_out(each, column + len(prefix), 1, above))
    return texts if len(pairs) <= MOST_ITEMS else [*texts, "..."]


def flat_of(value, above):
    kind = type(value)
    if kind not in BRACKETS or not value or any(value is each for each in above):
        return lay_out(value, 0, 0, above)
    opening, closing = brackets_of(kind)
    return opening + ", ".join(items_of(value, None, (*above, value))) + (",)" if kind is tuple and len(value) == 1 else closing)


def in_order(values):
    """Sets are shown sorted where their items can be."""
    try:
        return sorted(values)
    except Exception:
        return list(values)
