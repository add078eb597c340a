# A cell that prints a canonical dump of variables, process and files, and leaves no trace. The host sets `WITH_TIMES`.
def _dump_():
    import gc, hashlib, os, signal, stat, sys, types
    lines, seen = [], {}
    hidden = {"__builtins__", "__loader__", "__spec__", "_dump_", "In", "Out", "_", "__", "___", "exit", "quit"}

    def walk(value, depth=0):
        if value is None or type(value) in (int, float, str, bytes, bool, complex):
            return repr(value)
        if id(value) in seen:
            return "<%d>" % seen[id(value)]
        seen[id(value)] = len(seen)
        keep.append(value)
        kind, mark = type(value), "%d:%s" % (seen[id(value)], type(value).__qualname__)
        if depth > 40:
            return mark
        if kind in (list, tuple):
            return mark + "[" + ",".join(walk(each, depth + 1) for each in value) + "]"
        if kind in (set, frozenset):
            return mark + "{" + ",".join(sorted(repr(each) if type(each) in (int, str, tuple) else type(each).__name__ for each in value)) + "}"
        if isinstance(value, dict):
            return mark + "{" + ",".join(walk(k, depth + 1) + ":" + walk(v, depth + 1) for k, v in value.items()) + "}"
        if kind in (bytearray, memoryview):
            return mark + repr(bytes(value))
        if kind is types.ModuleType:
            return mark + value.__name__
        if kind is types.FunctionType:
            parts = [walk(value.__defaults__, depth + 1), walk(value.__dict__, depth + 1)]
            parts += [walk(cell.cell_contents, depth + 1) for cell in value.__closure__ or ()]
            return mark + value.__qualname__ + hashlib.md5(value.__code__.co_code).hexdigest() + ",".join(parts)
        if kind is types.GeneratorType:
            return mark + repr((value.gi_frame and value.gi_frame.f_lasti)) + walk(value.gi_frame and dict(value.gi_frame.f_locals), depth + 1)
        if isinstance(value, type):
            return mark + value.__qualname__ + ",".join(k + "=" + walk(v, depth + 1) for k, v in sorted(vars(value).items()) if not k.startswith("__") and not k.startswith("_abc"))
        if kind.__module__.startswith("numpy") and hasattr(value, "tobytes"):
            return mark + repr((value.shape, str(value.dtype), value.tobytes()))
        if kind.__module__.startswith("numpy.random"):
            return mark + repr(value.bit_generator.state)
        if kind.__module__.startswith("pandas"):
            return mark + repr(value.to_dict() if hasattr(value, "to_dict") else list(value)) if kind.__name__ in ("DataFrame", "Series") else mark
        if kind.__name__ == "Random":
            return mark + repr(value.getstate())
        if kind.__name__ == "ContextVar":
            return mark + repr(value.get(None))
        if hasattr(value, "fileno"):
            if value.closed:
                return mark + "closed"
            return mark + repr((value.tell(), os.fstat(value.fileno()).st_size, getattr(value, "mode", None)))
        try:
            reduced = value.__reduce_ex__(4)
        except Exception:
            reduced = ()
        if kind.__module__ in ("itertools", "builtins", "array", "collections", "re", "_thread", "weakref"):
            return mark + (repr(value.locked()) if kind.__name__ == "lock" else "")
        own = getattr(value, "__dict__", None)
        slots = {name: getattr(value, name) for name in getattr(kind, "__slots__", ()) if hasattr(value, name) and name != "__weakref__"} if isinstance(getattr(kind, "__slots__", ()), tuple) else {}
        if kind.__module__ not in ("__main__",):
            return mark
        return mark + walk(dict(own) if own is not None else slots, depth + 1)

    keep = []
    for name, value in sorted(globals().items()):
        if name not in hidden and not name.startswith("_i") and not (name.startswith("_") and name[1:].isdigit()):
            lines.append("variable " + name + " " + walk(value))
    del keep
    generator = sys.modules.get("random")
    numpy, decimal, logging = (sys.modules.get(name) for name in ("numpy.random", "decimal", "logging"))
    umask = os.umask(0)
    os.umask(umask)
    facts = {
        "directory": os.getcwd(),
        "environment": sorted(os.environ.items()),
        "umask": umask,
        "modules": sorted(name for name in sys.modules if not name.startswith("encodings")),
        "path": sys.path,
        "random": generator and hashlib.md5(repr(generator.getstate()).encode()).hexdigest(),
        "numpy": numpy and hashlib.md5(repr(numpy.get_state()).encode()).hexdigest(),
        "precision": decimal and decimal.getcontext().prec,
        "warnings": repr(sys.modules["warnings"].filters),
        "signals": [str(getattr(signal.getsignal(number), "__name__", signal.getsignal(number))) for number in (signal.SIGUSR1, signal.SIGALRM)],
        "timer": signal.getitimer(signal.ITIMER_REAL)[0] // 100,
        "builtins": sorted(name for name in vars(sys.modules["builtins"]) if not name.startswith("_")),
        "recursion": sys.getrecursionlimit(),
        "collector": gc.get_threshold(),
        "levels": logging and sorted((name, each.level) for name, each in logging.root.manager.loggerDict.items() if hasattr(each, "level")),
    }
    lines += ["%s %r" % each for each in facts.items()]
    for place, directories, files in os.walk(home):
        directories.sort()
        for name in [".", *sorted(files), *directories]:
            path = os.path.join(place, name)
            status = os.lstat(path)
            content = None
            if stat.S_ISLNK(status.st_mode):
                content = os.readlink(path)
            elif stat.S_ISREG(status.st_mode):
                with open(path, "rb") as file:
                    content = hashlib.md5(file.read()).hexdigest()
            # Only an owner can set the time of a directory, and the working directory of a pod is root's.
            time = status.st_mtime_ns if WITH_TIMES and status.st_uid == os.geteuid() else None
            lines.append("file %s %o %s %s %d" % (os.path.relpath(path, home), status.st_mode, content, time, status.st_nlink))
    print("\n".join(lines))


_dump_()
del _dump_
