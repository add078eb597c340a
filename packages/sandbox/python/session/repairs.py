"""What libraries need so that a copy of their process can continue. Each repair is for itself, and does nothing without its library."""

# Threads of libraries that no copy can do without: as their names begin, and as the library is called.
HOPELESS_THREADS = ("polars-", "polars"), ("tf_", "jax"), ("pjrt", "jax"), ("jax", "jax"), ("cuda", "CUDA")
# Threads whose work others do without them: purging memory.
NEEDLESS_THREADS = ("jemalloc_bg_thd",)
# See omp_pause_resource_all(3), and dlopen(3).
OMP_PAUSE_HARD, RTLD_NOLOAD = 2, 4
PROCESS_POOL, POOL_TARGETS = "_ExecutorManagerThread", "Pool._handle"


class Repairs:
    def __init__(self):
        # By name, so that a test can leave one out.
        self.all = {each.__name__: each for each in REPAIRS}
        self.used = []

    def prepare(self, namespace):
        """Before the fork. Returns what a copy lacks."""
        self.used, lacks = [], {}
        read_mappings()
        for kind in self.all.values():
            try:
                repair = kind(namespace)
                self.used.append(repair)
                for name, values in repair.lacks().items():
                    lacks.setdefault(name, []).extend(values)
            except Exception:
                # A version that we do not know: then the copy may lack more, which its threads tell.
                pass
        lacks["memory"] = shared_mappings()
        return {name: values for name, values in lacks.items() if values}

    def lacks_after_fork(self):
        """In the running Python, when the threads are gone that libraries end before each fork themselves."""
        known = python_threads()
        hopeless, unknown = set(), set()
        for name in os.listdir("/proc/self/task"):
            if int(name) in known or int(name) == os.getpid():
                continue
            try:
                command = read_file("/proc/self/task/%s/comm" % name).strip().decode("utf-8", "replace")
            except OSError:
                continue
            library = next((library for prefix, library in HOPELESS_THREADS if command.startswith(prefix)), None)
            if command not in NEEDLESS_THREADS:
                (unknown if library is None else hopeless).add(library or command)
        lacks = {"libraries": sorted(hopeless), "native": sorted(unknown)[:MOST_NAMES]}
        return {name: values for name, values in lacks.items() if values}

    def set_back(self):
        """After the fork, in the running Python."""
        self.each("set_back")

    def revive(self):
        """In a copy that continues."""
        self.each("set_back")
        self.each("revive")

    def each(self, step):
        for repair in self.used:
            try:
                getattr(repair, step)()
            except Exception:
                pass
        if step == "revive":
            self.used = []


class Repair:
    def __init__(self, namespace):
        pass

    def lacks(self):
        return {}

    def set_back(self):
        pass

    def revive(self):
        pass


class Threads(Repair):
    """Threads of the program end in a copy. Threads of libraries that have a repair are not counted."""

    def __init__(self, namespace):
        self.names, self.pools = [], []
        for thread in live_threads():
            if "loky" in type(thread).__module__:
                continue
            if owner_of(thread) == PROCESS_POOL or POOL_TARGETS in target_of(thread):
                self.pools.append("multiprocessing")
            elif not is_repaired(thread):
                self.names.append(thread.name)

    def lacks(self):
        return {"threads": self.names[:MOST_NAMES], "pools": sorted(set(self.pools))}

    def revive(self):
        threading = sys.modules.get("threading")
        main = None if threading is None else threading.main_thread()
        if hasattr(main, "_set_native_id"):
            main._set_native_id()


class OpenMp(Repair):
    """The threads of GNU's OpenMP (sklearn, xgboost, lightgbm): a copy would wait for them forever."""

    libraries = {}

    def __init__(self, namespace):
        for path in mapped_files(b"libgomp"):
            if path not in self.libraries:
                self.libraries[path] = ctypes.CDLL(path, mode=RTLD_NOLOAD)
        for library in self.libraries.values():
            library.omp_pause_resource_all(OMP_PAUSE_HARD)


class ThreadPools(Repair):
    """`ThreadPoolExecutor`, also that of `asyncio.to_thread`: it starts new threads once its list of threads is empty."""

    def __init__(self, namespace):
        self.module = sys.modules.get("concurrent.futures.thread")
        threads = [] if self.module is None else list(self.module._threads_queues)
        found = {id(each): each for each in map(executor_of, threads) if each is not None}
        self.executors = list(found.values())

    def lacks(self):
        return {"busy": ["ThreadPoolExecutor" for each in self.executors if is_busy(each)][:1]}

    def revive(self):
        threading = sys.modules["threading"]
        for executor in self.executors:
            executor._threads = set()
            executor._idle_semaphore = threading.Semaphore(0)


class Loky(Repair):
    """The processes of joblib (`n_jobs`): the copy starts its own."""

    def revive(self):
        for name in ("loky", "joblib.externals.loky"):
            pool = sys.modules.get(name + ".reusable_executor")
            if pool is not None:
                pool._executor = None


class Trackers(Repair):
    """The process that removes forgotten shared memory is a child of the other Python."""

    def revive(self):
        for name in ("multiprocessing", "joblib.externals.loky.backend", "loky.backend"):
            tracker = getattr(sys.modules.get(name + ".resource_tracker"), "_resource_tracker", None)
            if tracker is not None:
                tracker._fd = tracker._pid = None


class Duckdb(Repair):
    """The threads of a database in memory are ended, and started again."""

    def __init__(self, namespace):
        module = sys.modules.get("duckdb")
        self.settings = []
        if module is None:
            return
        kind = module.DuckDBPyConnection
        connections = {id(each): each for each in list(namespace.values()) if type(each) is kind}
        for connection in [*connections.values(), module.default_connection()]:
            query = "SELECT name, value FROM duckdb_settings() WHERE name IN ('threads', 'async_threads', 'external_threads')"
            # A separate cursor: the results that the program reads from are not touched.
            cursor = connection.cursor()
            before = dict(cursor.execute(query).fetchall())
            self.settings.append((cursor, before))
            if "async_threads" in before:
                cursor.execute("SET async_threads=0")
            cursor.execute("SET threads=%s" % max(1, int(before.get("external_threads", 1))))

    def set_back(self):
        for cursor, before in self.settings:
            for name in ("threads", "async_threads"):
                if name in before:
                    cursor.execute("SET %s=%d" % (name, int(before[name])))
            cursor.close()
        self.settings = []


class QueueListeners(Repair):
    """The thread of a `logging.handlers.QueueListener`: without this repair, records are lost."""

    def __init__(self, namespace):
        module = sys.modules.get("logging.handlers")
        self.listeners = []
        for thread in live_threads() if module is not None else []:
            owner = getattr(getattr(thread, "_target", None), "__self__", None)
            if isinstance(owner, module.QueueListener):
                self.listeners.append(owner)

    def revive(self):
        for listener in self.listeners:
            renew_locks(listener.queue)
            listener._thread = None
            listener.start()


class Queues(Repair):
    """The thread of a `multiprocessing.Queue` that sends what is put into it: a queue without one starts it."""

    def revive(self):
        module = sys.modules.get("multiprocessing.queues")
        registry = {} if module is None else sys.modules["multiprocessing.util"]._afterfork_registry
        for queue in list(registry.values()):
            if isinstance(queue, module.Queue) and queue._thread is not None and not queue._closed:
                queue._after_fork()


class Monitors(Repair):
    """The thread that watches the progress bars of tqdm: the next bar starts it."""

    def __init__(self, namespace):
        self.monitors = [each for each in live_threads() if owner_of(each) == MONITOR]

    def revive(self):
        for monitor in self.monitors:
            monitor.tqdm_cls.monitor = None


class EventLoops(Repair):
    """An event loop wakes itself by a pair of sockets, which a copy does not have."""

    def revive(self):
        events = sys.modules.get("asyncio.events")
        if events is None:
            return
        selectors = sys.modules["asyncio.selector_events"]
        for loop in [each for each in gc.get_objects() if issubclass(type(each), selectors.BaseSelectorEventLoop)]:
            if not loop._closed and loop._csock is not None:
                loop._close_self_pipe()
                loop._make_self_pipe()


REPAIRS = Threads, OpenMp, ThreadPools, Loky, Trackers, Duckdb, QueueListeners, Queues, Monitors, EventLoops
