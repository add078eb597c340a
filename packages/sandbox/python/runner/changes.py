"""What a program can change that the next program would notice: conditions of processes, and files."""

# See ioprio_set(2): the number of `ioprio_get` for processors of 64 bits, and its first argument.
IOPRIO_GET, IOPRIO_WHO_PROCESS = {"x86_64": 252, "aarch64": 31}, 1
# Files of /proc that root can write for another process, and that its forks inherit. The last is for CAP_SYS_NICE alone.
INHERITED_SETTINGS = "oom_score_adj", "coredump_filter", "timerslack_ns"
CAP_SYS_NICE = 23


def conditions_of(pid):
    """What programs can change of another process of their user: niceness, scheduling, affinity, limits, settings."""
    policy = (os.sched_getscheduler(pid), os.sched_getparam(pid)) if has_policy else None
    processors = os.sched_getaffinity(pid) if has_affinity else None
    values = [resource.prlimit(pid, limit) for limit in limits]
    return os.getpriority(os.PRIO_PROCESS, pid), policy, processors, values, settings_of(pid)


def settings_of(pid):
    """These are not set back: where a program has changed them, a new interpreter is started."""

    def value_of(name):
        try:
            return read_file("/proc/%s/%s" % (pid or "self", name))
        except OSError:
            return None

    priority = None if ioprio_get is None else ctypes.pythonapi.syscall(ioprio_get, IOPRIO_WHO_PROCESS, pid)
    return priority, [value_of(name) for name in inherited_settings]


def find_inherited_settings():
    if os.geteuid() != 0:
        return ()
    try:
        capabilities = int(read_file("/proc/self/status").partition(b"CapEff:")[2].split(None, 1)[0], 16)
    except (OSError, IndexError):
        capabilities = 0
    return INHERITED_SETTINGS if capabilities >> CAP_SYS_NICE & 1 else INHERITED_SETTINGS[:-1]


def has_changed(pid):
    try:
        return conditions is not None and conditions_of(pid) != conditions
    except OSError:
        # Not every system shows them of others. A fork has those of its parent.
        return pid != 0 and has_changed(0)


def restore_conditions():
    niceness, policy, processors, values, _ = conditions
    attempts = [(os.setpriority, os.PRIO_PROCESS, 0, niceness)]
    if policy is not None:
        attempts.append((os.sched_setscheduler, 0, *policy))
    if processors is not None:
        attempts.append((os.sched_setaffinity, 0, processors))
    attempts += [(resource.prlimit, 0, limit, value) for limit, value in zip(limits, values)]
    for attempt, *arguments in attempts:
        try:
            attempt(*arguments)
        except (OSError, ValueError):
            # Without rights some of it can only be lowered.
            pass


def state_of(places):
    def changed_at(place):
        try:
            # Unlike the time of modification, no program can set it.
            return os.stat(place).st_ctime_ns
        except OSError:
            return None

    return [changed_at(place) for place in places]


def contents_of(paths, most=None):
    """Lists the entries at and below the paths, without other mounts. Stops after `most` entries."""
    contents = {}
    directories = []
    for path in paths:
        try:
            status = os.lstat(path)
        except OSError:
            continue
        contents[path] = state_of_directory(path, status)
        directories.append((path, status.st_dev))
    while directories:
        path, device = directories.pop()
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    status = entry.stat(follow_symlinks=False)
                    is_directory = entry.is_dir(follow_symlinks=False)
                    if status.st_dev != device:
                        contents[entry.path] = None
                    elif is_directory:
                        contents[entry.path] = state_of_directory(entry.path, status)
                        directories.append((entry.path, device))
                    else:
                        contents[entry.path] = status.st_ino, status.st_ctime_ns
                    if most is not None and len(contents) > most:
                        return contents
        except NotADirectoryError:
            with open(path, "rb") as file:
                contents[path] = file.read()
        except OSError as error:
            contents[path] = error.errno
    return contents


def state_of_directory(path, status):
    """Without its times, which change with every temporary file. A file's own time tells of its attributes, too."""
    try:
        names = os.listxattr(path, follow_symlinks=False)
        attributes = [(name, os.getxattr(path, name, follow_symlinks=False)) for name in names]
    except (AttributeError, OSError):
        attributes = []
    return status.st_mode, status.st_uid, attributes


def places_of_packages():
    site = sys.modules.get("site")
    return [] if site is None else site.getsitepackages() + [site.getusersitepackages()]


def find_files_of_site():
    """What decides what an interpreter does before its program: files that `site` reads and imports, and where they could appear."""
    places = places_of_packages()
    library = os.path.dirname(os.__file__)
    files = [sys.executable, os.path.join(sys.prefix, "pyvenv.cfg"), *places]
    for place in places:
        if os.path.isdir(place):
            files += [os.path.join(place, name) for name in os.listdir(place) if name.endswith(".pth")]
    for name in modules_of_a_start:
        file = getattr(sys.modules.get(name), "__file__", None)
        if isinstance(file, str) and os.path.dirname(file) != library:
            files.append(file)
    for directory in sys.path:
        if not directory.startswith(library) and directory not in places:
            for name in ("sitecustomize", "usercustomize"):
                files += [os.path.join(directory, name), os.path.join(directory, name + ".py")]
    return files


def find_files_of_start():
    """Those, and files of preloaded modules."""
    files = [vars(module).get("__file__") for module in sys.modules.values() if isinstance(module, type(sys))]
    return [file for file in files if isinstance(file, str)] + files_of_site


def relative_variable():
    """Returns the name of a variable whose relative path resolves differently in the directory of a program, or `None`."""
    if sys.flags.ignore_environment:
        return None
    for name in ("PYTHONPATH", "PYTHONUSERBASE"):
        value = os.environ.get(name)
        if value and not all(map(os.path.isabs, value.split(os.pathsep))):
            return name
    return None
