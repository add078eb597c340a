"""What a program does that its file and its end depend on."""


def watch_program(file):
    """The one audit hook of a program. It makes its file, where it has none, and notes what its end depends on."""
    doubts = short_end.doubts
    if file is None and doubts:
        return
    path = None if file is None else file.path
    asks, looks_around, doubtful = frozenset(("open", "import")), LOOKS_AROUND, DOUBTFUL_EVENTS
    # Python clears the global names of this file at the end of a program, when modules are still imported.
    built_in, modules, packages = frozenset(sys.builtin_module_names), QUIET_MODULES, frozenset(QUIET_PACKAGES)

    def hook(event, args):
        """Is called for each event, most of which are others."""
        if event in asks:
            name = args[0]
            if event == "open":
                if name == path and file is not None and not file.is_there:
                    file.make()
                return
            if args[1] is not None or name in built_in:
                if name not in modules and name.partition(".")[0] not in packages:
                    doubts.append(name)
            if file is not None:
                file.note_import(name)
        elif event in doubtful:
            attribute = doubtful[event]
            if attribute is None or args[1] == attribute:
                doubts.append(event)
        elif file is not None and file.is_there and event in looks_around:
            file.remove()

    sys.addaudithook(hook)
