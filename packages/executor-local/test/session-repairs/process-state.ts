import type { Repair } from './repair.ts'

/** The state of a process that a fork changes, and signs of a checkpoint that the program must not see. */
export const processState: readonly Repair[] = [
  {
    name: 'random numbers are as before',
    off: ['        self.revive_generator()\n', ''],
    before: 'random.seed(7)',
    after: 'print(round(random.random(), 6))',
    shown: ' | 0.323833',
    wrong: / \| (?!0\.323833)0\.\d+/,
  },
  {
    name: 'a timer runs again',
    off: ['                _signal.setitimer(timer, delay, interval)', '                pass'],
    before: 'signal.signal(signal.SIGALRM, signal.SIG_DFL); signal.setitimer(signal.ITIMER_REAL, 300)',
    undone: 'print(signal.setitimer(signal.ITIMER_REAL, 0)[0] > 1)',
    after: 'print(signal.setitimer(signal.ITIMER_REAL, 0)[0] > 1)',
    shown: 'True | True',
    wrong: 'True | False',
  },
  {
    name: 'a subreaper stays one',
    off: ['        state.set_reaper_back()\n        lacks.update', '        lacks.update'],
    before: 'import ctypes; libc = ctypes.CDLL(None); libc.prctl(36, 1); x = ctypes.c_int()',
    undone: 'libc.prctl(37, ctypes.byref(x)); print(x.value)',
    after: 'libc.prctl(37, ctypes.byref(x)); print(x.value)',
    shown: '1 | 1',
    wrong: '0 | 1',
  },
  {
    name: 'a subreaper is one after an undo',
    off: ['        self.follow_files()\n        self.set_reaper_back()', '        self.follow_files()'],
    before: 'import ctypes; libc = ctypes.CDLL(None); libc.prctl(36, 1); x = ctypes.c_int()',
    undone: 'libc.prctl(37, ctypes.byref(x)); print(x.value)',
    after: 'libc.prctl(37, ctypes.byref(x)); print(x.value)',
    shown: '1 | 1',
    wrong: '1 | 0',
  },
  {
    name: 'a copy of a subreaper is not its child',
    off: ['            prctl(PR_SET_CHILD_SUBREAPER, 0)\n', '            pass\n'],
    before: 'import ctypes; libc = ctypes.CDLL(None); libc.prctl(36, 1)',
    after: 'print("back")',
    shown: ' | back',
    wrong: ' | NO_CHECKPOINT',
  },
  {
    name: 'a handler of SIGCHLD hears of no checkpoint',
    off: ['blocked = _signal.pthread_sigmask(_signal.SIG_BLOCK, [_signal.SIGCHLD])', 'blocked = []'],
    before: 'hits = []; signal.signal(signal.SIGCHLD, lambda *_: hits.append(1))',
    undone: 'print(hits)',
    after: 'print(hits)',
    shown: '[] | []',
    wrong: '[1] | []',
  },
  {
    name: 'waiting for all children finds no child that has become a checkpoint',
    off: [
      '        os.waitpid(pid, 0)\n    except ChildProcessError:\n        # The program',
      '        pass\n    except ChildProcessError:\n        # The program',
    ],
    before: '1',
    undone: 'try: print(os.wait()[1])\nexcept ChildProcessError: print("none")',
    after: 'try: print(os.wait()[1])\nexcept ChildProcessError: print("none")',
    shown: 'none | none',
    wrong: '0 | none',
  },
  {
    name: 'a handler of SIGCHLD hears of a child of the program, although a checkpoint was made meanwhile',
    off: ['        os.kill(os.getpid(), _signal.SIGCHLD)', '        pass'],
    before: `
hits, ends, children = [], os.pipe(), []
def end_child():
    if children: os.kill(children[0], signal.SIGKILL); os.waitid(os.P_PID, children[0], os.WEXITED | os.WNOWAIT)
p = subprocess.Popen(['sleep', '600'])
signal.signal(signal.SIGCHLD, lambda *_: hits.append(1))
children.append(p.pid); os.register_at_fork(before=end_child)`,
    undone: 'print(bool(hits))',
    after: 'children.clear(); print("back")',
    shown: 'True | back | connections and pipes: those of earlier blocks are closed. Open them again.',
    wrong: 'False | back | connections and pipes: those of earlier blocks are closed. Open them again.',
  },
  {
    name: 'a warning of fork about threads is not for the program',
    off: ['        warnings.filters = [("ignore", None, Warning, None, 0)]', '        pass'],
    before: `
import warnings
hits = []; warnings.simplefilter("always"); warnings.showwarning = lambda *_: hits.append(1)
os.register_at_fork(before=lambda: warnings.warn("forks", DeprecationWarning))`,
    undone: 'print(hits)',
    after: 'print(hits)',
    shown: '[] | []',
    wrong: '[1] | [1]',
  },
  {
    name: 'a signal to the process group reaches no checkpoint',
    off: ['            os.setsid()\n            write_oom', '            write_oom'],
    before: '1',
    undone: 'signal.signal(signal.SIGTERM, signal.SIG_IGN); os.killpg(0, signal.SIGTERM); print("sent")',
    after: 'print("back")',
    shown: 'sent | back',
    wrong: 'sent | NO_CHECKPOINT',
  },
]
