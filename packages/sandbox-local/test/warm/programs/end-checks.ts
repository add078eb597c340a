import type { Replacement } from '../ended-runner.ts'

/** A check that is switched off, and a program whose end is then another than that of a new interpreter. */
export interface EndCheck {
  readonly check: string
  readonly replacement: Replacement
  /** The first 3.x of which this is true. */
  readonly since?: number
  /** The first 3.x of which this is not true: another check finds the program, or its end cannot be seen. */
  readonly before?: number
  readonly program: readonly string[]
}

const loud = ['class Loud:', "    def __del__(self): print('destroyed')"]
const wherever = 'import os; write = os.write; say = lambda *_: write(1, b"seen\\n") and None'

export const endChecks: readonly EndCheck[] = [
  {
    check: 'a file that ends by sys.exit has no known status',
    replacement: ['self.status[0] = None', 'self.status[0] = 0'],
    program: ['import sys; sys.exit(3)'],
  },
  {
    check: 'KeyboardInterrupt ends by the signal',
    replacement: ['if self.status[0] == 1 and', 'if False and'],
    program: ['raise KeyboardInterrupt'],
  },
  {
    check: 'objects are listed',
    replacement: ['if not any(map(is_, objects, repeat(self.canary))):', 'if False:'],
    program: ['import gc', "kept = open('out.txt', 'w'); kept.write('data'); gc.freeze()"],
  },
  {
    check: 'the collector has no callbacks',
    replacement: ['if any(self.lists_of_collector) or', 'if'],
    program: [wherever, 'import gc', 'gc.callbacks.append(say)'],
  },
  {
    check: 'modules have names',
    replacement: ['if type(name) is not str:', 'if False:'],
    program: [
      wherever,
      'import os, sys',
      'class Key:',
      '    def __hash__(self): say(); return 1',
      'sys.modules[Key()] = os',
    ],
  },
  {
    check: 'no warning of an unclosed file is shown',
    replacement: ['if self.shows_unclosed_files():', 'if False:'],
    program: ['import warnings', "warnings.simplefilter('always')", 'kept = open(__file__)'],
  },
  {
    check: 'the streams are those of the start',
    replacement: ['if vars(sys).get(name) is not stream():', 'if False:'],
    program: [
      wherever,
      'import sys',
      'class Stream:',
      '    def write(self, text): pass',
      '    def flush(self): say()',
      'sys.stdout = Stream()',
    ],
  },
  {
    check: 'the streams have their own methods',
    replacement: ['if layer() is None or not ATTRIBUTES_OF_FILES.issuperset(layer().__dict__):', 'if False:'],
    program: [wherever, 'import sys', 'sys.stdout.flush = say'],
  },
  {
    check: 'the streams are flushed',
    replacement: ['self.flush(stream())', 'pass'],
    program: ['import atexit', "atexit.register(print, 'said')"],
  },
  {
    check: 'no metaclass has a hash',
    replacement: ['if type(kind) is not type and', 'if False and'],
    program: [
      wherever,
      'class Meta(type):',
      '    def __hash__(self): say(); return 1',
      'class A(metaclass=Meta): pass',
      'kept = A()',
    ],
  },
  {
    check: 'no name has a hash',
    before: 12,
    replacement: ['if issubclass(kind, str) and', 'if False and'],
    program: [
      wherever,
      'class Name(str):',
      '    def __hash__(self): say(); return 1',
      "vars(os)[Name('a')] = 1",
    ],
  },
  {
    check: 'no object has a finalizer',
    replacement: ['return has_own(kind, ("__del__",)) or any(map(is_, order', 'return any(map(is_, order'],
    program: [...loud, 'kept = Loud()'],
  },
  {
    check: 'no weak reference has a callback',
    replacement: [' or any(map(is_, order, repeat(self.reference))) or', ' or'],
    program: [
      wherever,
      'import sys, time, weakref',
      'class A: pass',
      'time.kept = A()',
      'sys.kept = weakref.ref(time.kept, lambda _: say())',
    ],
  },
  {
    check: 'no weak reference has a callback of the program',
    replacement: ['return function.__code__.co_filename.startswith(self.places)', 'return True'],
    program: [
      wherever,
      'import sys, time, weakref',
      'class A: pass',
      'time.kept = A()',
      'sys.kept = weakref.ref(time.kept, lambda _: say())',
    ],
  },
  {
    check: 'there is no proxy',
    replacement: [' or kind in self.proxies', ''],
    program: [
      wherever,
      'import sys, time, weakref',
      'class A: pass',
      'time.kept = A()',
      'sys.kept = weakref.proxy(time.kept, lambda _: say())',
    ],
  },
  {
    check: 'processes have their own destructor',
    replacement: ['is_process and all(map(self.is_of_library, values_of(kind, ("__del__",))))', 'is_process'],
    program: [
      'import subprocess',
      "subprocess.Popen.__del__ = lambda self: print('destroyed')",
      "kept = subprocess.Popen(['true'])",
    ],
  },
  {
    check: 'generators have ended',
    replacement: ['return getattr(each, frame_attributes[kind]) is None', 'return True'],
    program: [
      'def numbers():',
      '    try: yield 1',
      "    finally: print('closed')",
      'kept = numbers(); next(kept)',
    ],
  },
  {
    check: 'files are closed or read',
    replacement: ['return last.closed or not last.writable()', 'return True'],
    program: ["kept = open('out.txt', 'w'); kept.write('data')"],
  },
  {
    check: 'files have their own methods',
    replacement: [
      'if not all(ATTRIBUTES_OF_FILES.issuperset(layer.__dict__) for layer in (*layers, last)):',
      'if False:',
    ],
    program: ["kept = open(__file__); kept.close = lambda: print('closed')"],
  },
  {
    check: 'files are made of files',
    replacement: ['return type(last) in (io.BytesIO, io.StringIO)', 'return True'],
    program: [
      'import io',
      'class Sink:',
      '    closed = False',
      '    def readable(self): return False',
      '    def writable(self): return True',
      '    def seekable(self): return False',
      "    def write(self, data): print('wrote', bytes(data)); return len(data)",
      '    def flush(self): pass',
      '    def close(self): pass',
      "kept = io.TextIOWrapper(Sink()); kept.write('data')",
    ],
  },
  {
    check: 'no class of the start got a finalizer',
    replacement: ['if any(map(attrgetter("value"), self.slots)):', 'if False:'],
    program: ['import os', "type(os.environ).__del__ = lambda self: print('destroyed')"],
  },
  {
    check: 'no object of the start got another class',
    replacement: ['DOUBTFUL_EVENTS["object.__setattr__"] = "__class__"', ''],
    program: [
      'import os',
      'class Loud(type(os.environ)):',
      "    def __del__(self): print('destroyed')",
      'os.environ.__class__ = Loud',
    ],
  },
  {
    check: 'there is no audit hook',
    replacement: ['sys.addaudithook sys.settrace', 'sys.settrace'],
    program: [
      wherever,
      'import sys',
      "sys.addaudithook(lambda event, _: event.startswith('cpython.') and say())",
    ],
  },
  {
    check: 'there is no trace function',
    replacement: ['sys.addaudithook sys.settrace', 'sys.addaudithook'],
    program: [wherever, 'import sys', 'sys.settrace(lambda *_: say())'],
  },
  {
    check: 'there is no profile function',
    replacement: ['sys.setprofile ', ''],
    program: [wherever, 'import sys', "sys.setprofile(lambda frame, event, _: event == 'call' and say())"],
  },
  {
    check: 'nothing is monitored',
    replacement: ['sys.monitoring.register_callback', ''],
    since: 12,
    program: [
      wherever,
      'import sys; m = sys.monitoring',
      "m.use_tool_id(1, 'mine'); m.register_callback(1, m.events.PY_START, say); m.set_events(1, m.events.PY_START)",
    ],
  },
  {
    check: 'no function of C was taken by its name',
    replacement: ['ctypes.dlsym ', ''],
    program: [
      'import ctypes',
      'c = ctypes.CDLL(None); c.strerror.restype = ctypes.c_void_p',
      'c.on_exit(c.dprintf, ctypes.c_void_p(c.strerror(2)))',
      '1 / 0',
    ],
  },
  {
    check: 'no memory was written by its address',
    replacement: ['ctypes.cdata ', ''],
    program: [
      'import ctypes, os',
      'class Loud(type(os.environ)):',
      "    def __del__(self): print('destroyed')",
      'ctypes.c_size_t.from_address(id(os.environ) + tuple.__itemsize__).value = id(Loud)',
    ],
  },
  {
    check: 'libraries are known',
    before: 12,
    replacement: ['doubts.append(name)', 'pass'],
    program: [
      'import sqlite3',
      "kept = sqlite3.connect('out.db'); kept.execute('pragma journal_mode = wal')",
      "kept.execute('create table t (a)'); kept.commit()",
    ],
  },
  {
    check: 'the program has not removed the exit functions',
    replacement: ['short_end.is_removed()', '[]'],
    program: [
      'import abc, atexit',
      'atexit._clear()',
      "abc.ABC.kept = open('out.txt', 'w'); abc.ABC.kept.write('data')",
    ],
  },
]
