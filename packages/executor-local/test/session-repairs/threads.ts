import type { Repair } from './repair.ts'

const closed = 'connections and pipes: those of earlier blocks are closed. Open them again.'

/** Native threads that wait, with a name. A stand-in for the threads of a library. */
const nativeThread = (name: string) => `
import ctypes
libc, thread = ctypes.CDLL(None), ctypes.c_ulong()
libc.prctl(15, b"${name}", 0, 0, 0)
libc.pthread_create(ctypes.byref(thread), None, ctypes.cast(libc.pause, ctypes.c_void_p), None)
libc.prctl(15, b"python3", 0, 0, 0)`

const listener = `
import logging, logging.handlers, queue
records, got = queue.Queue(), []
class Collect(logging.Handler):
    def emit(self, record): got.append(record.getMessage())
listener = logging.handlers.QueueListener(records, Collect()); listener.start()
log = logging.getLogger("x"); log.propagate = False; log.addHandler(logging.handlers.QueueHandler(records)); log.warning("a")
def wait(count):
    end = time.monotonic() + 2
    while len(got) < count and time.monotonic() < end: time.sleep(0.01)
wait(1); time.sleep(0.1)`

/** What the standard library needs in a copy, and what a copy lacks. */
export const threads: readonly Repair[] = [
  {
    name: 'threads are named',
    off: ['                self.names.append(thread.name)', '                pass'],
    before: 'threading.Thread(target=time.sleep, args=(600,), name="waits", daemon=True).start()',
    after: 'print("back")',
    shown: ' | back | threads: `waits` no longer run.',
    wrong: ' | back',
  },
  {
    name: 'the main thread has the number of the new process',
    off: ['            main._set_native_id()', '            pass'],
    before: '1',
    after: 'print(threading.main_thread().native_id == os.getpid())',
    shown: ' | True',
    wrong: ' | False',
  },
  {
    name: 'a pool of processes is lost by name, in a new Python',
    off: ['                self.pools.append("multiprocessing")', '                pass'],
    before: 'import multiprocessing\npool, x = multiprocessing.get_context("fork").Pool(1), 5',
    after: 'print(x, "pool" in globals())',
    shown: ' | 5 False | state-reloaded pool',
    wrong: / \| 5 True \|/,
  },
  {
    name: 'a pool of threads starts new ones',
    off: ['            executor._threads = set()\n', ''],
    before:
      'from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(1); list(pool.map(abs, [-1, 2]))',
    after: 'print(list(pool.map(abs, [-3, 2])))',
    shown: ' | [3, 2]',
    wrong: ' | timeout',
  },
  {
    name: 'a pool of threads knows that none of them waits',
    off: ['            executor._idle_semaphore = threading.Semaphore(0)\n', ''],
    before:
      'from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(1); list(pool.map(abs, [-1, 2]))',
    after: 'print(pool.submit(abs, -3).result())',
    shown: ' | 3',
    wrong: ' | timeout',
  },
  {
    name: 'threads of a pool are not named, because it starts new ones',
    off: ['pools is not None and thread in pools._threads_queues', 'False'],
    before:
      'from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(1, "worker"); list(pool.map(abs, [-1]))',
    after: 'print(list(pool.map(abs, [-3])))',
    shown: ' | [3]',
    wrong: ' | [3] | threads: `worker_0` no longer run.',
  },
  {
    name: 'a pool of threads that works is lost by name, in a new Python',
    off: ['for each in self.executors if is_busy(each)', 'for each in () if True'],
    before:
      'from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(1); task = pool.submit(time.sleep, 600)',
    after: 'print("task" in globals())',
    shown: ' | False | state-reloaded pool, task',
    wrong: ' | True',
  },
  {
    name: 'a listener for log records',
    off: ['            listener.start()', '            pass'],
    before: listener,
    after: 'log.warning("b"); wait(2); print(got)',
    shown: " | ['a', 'b']",
    wrong: " | ['a']",
  },
  {
    name: 'the queue of a listener for log records wakes its new thread',
    off: ['            renew_locks(listener.queue)\n', ''],
    before: listener,
    after: 'time.sleep(0.1); log.warning("b"); wait(2); print(got)',
    shown: " | ['a', 'b']",
    wrong: " | ['a']",
  },
  {
    name: 'the thread of a listener is not named, because it starts again',
    off: ['(listener is not None and isinstance(owner, listener))', 'False'],
    before: listener,
    after: 'print(got)',
    shown: " | ['a']",
    wrong: / \| \['a'\] \| threads: `Thread-.*no longer run/,
  },
  {
    name: 'a queue between processes',
    off: ['                queue._after_fork()', '                pass'],
    before: 'import multiprocessing\nq = multiprocessing.Queue(); q.put(1); print(q.get(timeout=2))',
    undone: 'q.put(2); print(q.get(timeout=2))',
    after: 'q.put(3); print(q.get(timeout=2))',
    shown: `2 | 3 | ${closed}`,
    wrong: `2 | _queue.Empty | ${closed}`,
  },
  {
    name: 'the process that removes shared memory',
    off: ['                tracker._fd = tracker._pid = None', '                pass'],
    before: 'from multiprocessing import resource_tracker; resource_tracker.ensure_running()',
    after: 'resource_tracker.ensure_running(); print("runs")',
    // The process exits when its pipe is closed, which can be before the processes are listed.
    shown: new RegExp(`^ \\| runs \\| (?:running processes. )?${closed}`),
    wrong: /relaunching/,
  },
  {
    name: 'an event loop is woken by its threads',
    off: ['                loop._make_self_pipe()', '                pass'],
    before:
      'import asyncio\nloop = asyncio.new_event_loop(); loop.run_until_complete(asyncio.to_thread(abs, -6))',
    undone: 'loop.close(); print(loop.is_closed())',
    after: 'print(loop.run_until_complete(asyncio.to_thread(time.sleep, 0.5)))',
    shown: `True | None | ${closed}`,
    wrong: `True | timeout | ${closed}`,
  },
  {
    name: 'an event loop rests between its tasks',
    off: ['            if not loop._closed and loop._csock is not None:', '            if False:'],
    before: `
import asyncio
loop, turns = asyncio.new_event_loop(), []
once = loop._run_once
loop._run_once = lambda: (turns.append(1), once())`,
    after: 'loop.run_until_complete(asyncio.sleep(0.3)); print(len(turns) < 100)',
    shown: ` | True | ${closed}`,
    wrong: ` | False | ${closed}`,
  },
  {
    name: 'variables of a library that no copy can use are in a new Python',
    off: ['if command.startswith(prefix)', 'if False'],
    before: `x = 5\n${nativeThread('polars-0')}`,
    after: 'print(x)',
    shown: ' | 5 | state-reloaded libc',
    wrong: ' | 5 | threads of libraries: `polars-0` no longer run.',
  },
  {
    name: 'unknown threads of libraries are named',
    off: ['"native": sorted(unknown)[:MOST_NAMES]', '"native": []'],
    before: nativeThread('worker'),
    after: 'print("back")',
    shown: ' | back | threads of libraries: `worker` no longer run.',
    wrong: ' | back',
  },
  {
    name: 'a thread whose work others do without it is not named',
    off: ['            if command not in NEEDLESS_THREADS:', '            if True:'],
    before: nativeThread('jemalloc_bg_thd'),
    after: 'print("back")',
    shown: ' | back',
    wrong: ' | back | threads of libraries: `jemalloc_bg_thd` no longer run.',
  },
  {
    name: 'shared memory is named',
    off: ['        lacks["memory"] = shared_mappings()\n', ''],
    before: 'import mmap; m = mmap.mmap(-1, 10)',
    after: 'print("back")',
    shown: ' | back | shared memory (`/dev/zero`).',
    wrong: ' | back',
  },
  {
    name: 'files in memory are named',
    off: ['            "memory": [each.name for each in memory],\n', ''],
    before: 'fd = os.memfd_create("data")',
    after: 'print("back")',
    shown: ' | back | shared memory (`/memfd:data`).',
    wrong: ' | back',
  },
  {
    name: 'files that have been deleted are named',
    off: ['if each.link.endswith(DELETED) and each not in memory', 'if False'],
    before: 'f = open("f", "w+"); f.write("abc"); f.flush(); os.remove("f")',
    after: 'f.seek(0); print(f.read())',
    shown: ' | abc | open files that have been deleted (`DIRECTORY/f`).',
    wrong: ' | abc',
  },
  {
    name: 'file locks are named',
    off: ['if any(line[:1] == ["lock:"] for line in each.info)', 'if False'],
    before: "f = open('lock', 'w'); fcntl.flock(f, fcntl.LOCK_EX)",
    after: 'print("back")',
    shown: ' | back | file locks: `DIRECTORY/lock` is not locked now.',
    wrong: ' | back',
  },
  {
    name: 'connections are named',
    off: ['if each.kind in (stat.S_IFSOCK, stat.S_IFIFO)', 'if False'],
    before: 's = socket.socket()',
    after: 'print("back")',
    shown: ` | back | ${closed}`,
    wrong: ' | back',
  },
]
