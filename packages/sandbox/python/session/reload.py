"""Variables by value, for a new Python where no copy can continue. Functions and classes of the program go with them."""

# What every module has.
NAMES_OF_MODULES = frozenset("__name__ __doc__ __package__ __loader__ __spec__ __builtins__ __file__ __cached__ __annotations__".split())
# What sets the state of the process in the new Python, in this order.
STATE_FIRST = "directory", "environment", "path"


def dump_variables(namespace, fd, more):
    """Writes variables, some of the process's state, and more beside it. Returns the names of variables that it cannot take."""
    lost, kept = [], {}
    values = {name: value for name, value in namespace.items() if name not in NAMES_OF_MODULES}
    content = pickled(values, more)
    if content is None:
        # Together they keep what they share; each alone shows which of them cannot go.
        for name, value in values.items():
            if name == "Out" and type(value) is dict:
                value = {number: each for number, each in value.items() if pickled({"": each}, {}) is not None}
            if pickled({name: value}, {}) is None:
                lost.append(name)
            else:
                kept[name] = value
        content = pickled(kept, more)
    if content is None:
        lost, content = list(values), pickled({}, more)
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(fd, rest) :]
    return [name for name in lost if not is_result_name(name)]


def is_result_name(name):
    """Whether a session gives the name to results and cells: `_`, `_3`, `_i3`."""
    rest = name.lstrip("_")
    return name != rest and (rest == "" or rest.lstrip("i") == "" or rest.lstrip("i").isdigit())


def load_variables(fd, namespace):
    """Takes them into the namespace of a new Python. Returns what was written beside them."""
    os.lseek(fd, 0, os.SEEK_SET)
    with open(fd, "rb", closefd=False) as file:
        content = file.read()
    make = unpickler()
    state = make(io.BytesIO(content), namespace).load()
    set_process_state({name: state[name] for name in STATE_FIRST})
    file = io.BytesIO(content[state["size"] - 2**40 :])
    namespace.update(make(file, namespace).load())
    # Imports may have drawn numbers.
    set_process_state(state)
    return state["more"]


def pickled(values, more):
    """The variables, after the state of the process, which an import of their modules depends on. `None` if a new Python could not read them."""
    try:
        file = io.BytesIO()
        pickler = make_pickler(file)
        pickler.dump(values)
        if pickler.open_cells - pickler.filled:
            return None
        content = file.getvalue()
        unpickler()(io.BytesIO(content), {}).load()
        return state_before(content, more)
    except BaseException:
        return None


def state_before(content, more):
    import pickle

    state = {**process_state(), "more": more}
    # Its own size is in it, always in as many bytes.
    state["size"] = 2**40
    size = len(pickle.dumps(state))
    state["size"] = 2**40 + size
    return pickle.dumps(state) + content


def process_state():
    random, numpy = sys.modules.get("random"), sys.modules.get("numpy.random")
    return {
        "directory": current_directory(),
        "environment": dict(os.environ),
        "path": list(sys.path),
        "random": None if random is None else random.getstate(),
        "numpy": None if numpy is None else numpy.get_state(),
    }


def set_process_state(state):
    if state["directory"] is not None:
        os.chdir(state["directory"][0])
    os.environ.clear()
    os.environ.update(state["environment"])
    sys.path[:] = state["path"]
    for name, module, setter in (("random", "random", "setstate"), ("numpy", "numpy.random", "set_state")):
        if state.get(name) is not None:
            __import__(module)
            getattr(sys.modules[module], setter)(state[name])


def unpickler():
    import pickle

    class Unpickler(pickle.Unpickler):
        def __init__(self, file, namespace):
            super().__init__(file)
            self.namespace = namespace

        def persistent_load(self, name):
            kind, name = name
            if kind == "namespace":
                return self.namespace
            if kind == "function":
                return FUNCTIONS[name]
            __import__(name[0])
            module = sys.modules[name[0]]
            return vars(module) if kind == "names" else getattr(module, name[1])

        def find_class(self, module, name):
            if module == "__main__":
                raise pickle.UnpicklingError("it is not there yet")
            return super().find_class(module, name)

    return Unpickler
