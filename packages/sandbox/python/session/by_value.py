"""Functions, classes and closures of a session as values, which `pickle` alone takes by their names only."""

# Attributes that a class gets when it is made.
MADE_WITH_CLASS = frozenset("__dict__ __weakref__ __module__ __qualname__ __slots__ _abc_impl __classcell__ __doc__".split())
# Values that are recognized by being themselves.
SINGLE_VALUES = [("dataclasses", name) for name in ("_FIELD", "_FIELD_CLASSVAR", "_FIELD_INITVAR", "MISSING", "KW_ONLY", "_HAS_DEFAULT_FACTORY")]


def make_pickler(file):
    import functools
    import marshal
    import pickle
    import types
    import typing

    main = sys.modules["__main__"]
    marks = {id(vars(main)): ("namespace", "")}
    for name, module in list(sys.modules.items()):
        if type(module) is types.ModuleType and module is not main:
            marks[id(vars(module))] = ("names", (name,)) if getattr(module, "__spec__", None) is not None else None
    for module, name in SINGLE_VALUES:
        if hasattr(sys.modules.get(module), name):
            marks[id(getattr(sys.modules[module], name))] = "value", (module, name)
    marks.update((id(kind), ("value", ("types", name))) for name, kind in vars(types).items() if isinstance(kind, type))
    marks.update((id(function), ("function", name)) for name, function in FUNCTIONS.items())
    reducers = {
        types.ModuleType: reduce_module,
        types.CodeType: lambda code: (load_code, (marshal.dumps(code),)),
        types.MappingProxyType: lambda proxy: (make_proxy, (dict(proxy),)),
        property: lambda each: (property, (each.fget, each.fset, each.fdel, each.__doc__)),
        classmethod: lambda each: (classmethod, (each.__func__,)),
        staticmethod: lambda each: (staticmethod, (each.__func__,)),
        functools._lru_cache_wrapper: reduce_cache,
        typing.TypeVar: reduce_type_variable,
    }

    class Pickler(pickle.Pickler):
        def persistent_id(self, value):
            mark = marks.get(id(value), "")
            if mark is None:
                raise TypeError("names of a module that cannot be imported")
            return mark or None

        def reducer_override(self, value):
            kind = type(value)
            if kind is types.CellType:
                self.open_cells.add(id(value))
                return make_cell, ()
            if kind is types.FunctionType:
                if is_importable(value):
                    return NotImplemented
                parts = reduce_function(value)
                # Adding comes first: the pickler meets the cells behind this.
                self.filled.update(map(id, value.__closure__ or ()))
                return parts
            if issubclass(kind, type):
                return NotImplemented if is_importable(value) else reduce_class(value)
            return reducers[kind](value) if kind in reducers else NotImplemented

    pickler = Pickler(file, pickle.HIGHEST_PROTOCOL)
    # Cells that were met, and those whose function gives them their content.
    pickler.open_cells, pickler.filled = set(), set()
    return pickler


def is_importable(value):
    """Whether a new Python finds it under its name, in a module that is not of the session."""
    found = sys.modules.get(value.__module__) if value.__module__ != "__main__" else None
    if found is None or getattr(found, "__spec__", None) is None and value.__module__ != "builtins":
        return False
    for part in value.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is value


def reduce_module(module):
    if sys.modules.get(module.__name__) is not module or module.__name__ == "__main__" or module.__spec__ is None:
        raise TypeError("a module that cannot be imported")
    return load_module, (module.__name__,)


def reduce_cache(cache):
    parameters = cache.cache_parameters()
    return make_cache, (cache.__wrapped__, parameters["maxsize"], parameters["typed"])


def reduce_type_variable(variable):
    if is_importable_name(variable):
        return variable.__name__
    options = {"bound": variable.__bound__, "covariant": variable.__covariant__, "contravariant": variable.__contravariant__}
    return make_type_variable, (variable.__name__, variable.__constraints__, options)


def is_importable_name(variable):
    module = sys.modules.get(variable.__module__) if variable.__module__ != "__main__" else None
    return module is not None and getattr(module, variable.__name__, None) is variable


def reduce_function(function):
    cells = function.__closure__ or ()
    contents = []
    for cell in cells:
        try:
            contents.append((cell, True, cell.cell_contents))
        except ValueError:
            contents.append((cell, False, None))
    attributes = {
        "__defaults__": function.__defaults__,
        "__kwdefaults__": function.__kwdefaults__,
        "__qualname__": function.__qualname__,
        "__module__": function.__module__,
        "__doc__": function.__doc__,
        "__annotations__": function.__annotations__,
    }
    arguments = function.__code__, function.__globals__, function.__name__, cells
    return make_function, arguments, (attributes, vars(function), contents), None, None, fill_function


def reduce_class(kind):
    import types

    own = dict(vars(kind))
    slots = own.get("__slots__")
    members = None
    enum = sys.modules.get("enum")
    if enum is not None and issubclass(kind, enum.Enum):
        members = [(name, each._value_) for name, each in kind.__members__.items()]
        own = {name: value for name, value in own.items() if not is_of_enum(name, value, kind)}
    state = {
        name: value
        for name, value in own.items()
        if name not in MADE_WITH_CLASS and type(value) not in (types.MemberDescriptorType, types.GetSetDescriptorType)
    }
    names = {"__module__": kind.__module__, "__qualname__": kind.__qualname__, "__doc__": kind.__doc__}
    if slots is not None:
        names["__slots__"] = slots
    if "__orig_bases__" in own:
        # `Generic` looks at them when the class is made.
        names["__orig_bases__"] = own["__orig_bases__"]
    return make_class, (type(kind), kind.__name__, kind.__bases__, names, members), state, None, None, fill_class


def is_of_enum(name, value, kind):
    """Whether the class of an enumeration makes it from the members."""
    made = "_member_names_ _member_map_ _value2member_map_ _unhashable_values_ _hashable_values_ _member_type_ _value_repr_ _use_args_"
    return name in kind.__members__ or name in made.split() or name.startswith(("_generate_next", "__new", "_new_member", "__reduce"))


def load_module(name):
    __import__(name)
    return sys.modules[name]


def load_code(content):
    import marshal

    return marshal.loads(content)


def make_cell():
    import types

    return types.CellType()


def make_proxy(content):
    import types

    return types.MappingProxyType(content)


def make_cache(function, most, is_typed):
    import functools

    return functools.lru_cache(most, is_typed)(function)


def make_type_variable(name, constraints, options):
    import typing

    return typing.TypeVar(name, *constraints, **options)


def make_function(code, namespace, name, cells):
    import types

    return types.FunctionType(code, namespace, name, None, cells)


def fill_function(function, state):
    attributes, own, contents = state
    for name, value in attributes.items():
        setattr(function, name, value)
    vars(function).update(own)
    for cell, is_full, value in contents:
        if is_full:
            cell.cell_contents = value


def make_class(meta, name, bases, names, members):
    import abc

    if members is not None:
        namespace = meta.__prepare__(name, bases)
        for key, value in [*names.items(), *members]:
            namespace[key] = value
        return meta(name, bases, namespace)
    make = abc.ABCMeta.__new__ if issubclass(meta, abc.ABCMeta) else type.__new__
    return make(meta, name, bases, dict(names))


def fill_class(kind, state):
    for name, value in state.items():
        setattr(kind, name, value)


# A pickle names these, and no others of ours.
FUNCTIONS = {
    each.__name__: each
    for each in (load_module, load_code, make_cell, make_proxy, make_cache, make_type_variable, make_function, fill_function, make_class, fill_class)
}
