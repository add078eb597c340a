import { program, type TestProgram } from '../program.ts'

/** Objects whose end can be seen, as lines that assign one to `kept`. */
export const visibleEnds: Readonly<Record<string, readonly string[]>> = {
  'a file with unwritten data': [
    "kept = open('out.txt', 'w', encoding='latin-1'); kept.write('data')",
    "other = open('other.txt', 'w'); other.write('more')",
  ],
  'a generator with an open file': [
    'def hidden():',
    "    file = open('out.txt', 'w'); file.write('data')",
    '    try: yield 1',
    "    finally: file.write(' and the rest'); print('closed')",
    'kept = hidden(); next(kept)',
  ],
  'a destructor that prints': [
    'class Loud:',
    "    def __del__(self): print('destroyed', __name__)",
    'kept = Loud()',
  ],
  'a destructor that imports': [
    'class Importing:',
    '    def __init__(self): self.me = self',
    '    def __del__(self):',
    '        try:',
    '            import colorsys, os',
    "            print('imported', os.sep, colorsys.rgb_to_hsv(0, 0, 0))",
    "        except ImportError as error: print('not imported', type(error).__name__)",
    'kept = Importing()',
  ],
  'a temporary directory': [
    'import tempfile, warnings',
    "warnings.simplefilter('ignore')",
    "kept = tempfile.TemporaryDirectory(dir='.')",
    "open(kept.name + '/x', 'w').close()",
  ],
  'a coroutine that was not awaited': ['async def waiting(): pass', 'kept = waiting()'],
}

/** Shapes of `__main__`, each a way for `kept` to be referred to from where a new interpreter has something, too. */
export const shapes: Readonly<Record<string, readonly string[]>> = {
  'a global variable': [],
  'a data class in `List`': [
    'from dataclasses import dataclass',
    'from typing import List',
    '@dataclass',
    'class Item:',
    '    name: str',
    'def total(items: List[Item]): return len(items)',
  ],
  'a generic class': [
    'from typing import Generic, Optional, TypeVar',
    "T = TypeVar('T')",
    'class Box(Generic[T]):',
    '    def get(self) -> Optional[T]: return kept',
    'def of(box: Optional[Box[int]]): return box',
  ],
  'an excepthook': ['import sys', 'def hook(*_): return kept', 'sys.excepthook = hook'],
  'an unraisablehook': ['import sys', 'def hook(*_): return kept', 'sys.unraisablehook = hook'],
  'a displayhook': ['import sys', 'def hook(*_): return kept', 'sys.displayhook = hook'],
  'the excepthook of threads': [
    'import threading',
    'def hook(*_): return kept',
    'threading.excepthook = hook',
  ],
  'a function before fork': ['import os', 'os.register_at_fork(before=lambda: kept)'],
  'a trace function': ['import sys', 'def trace(*_): return kept and None', 'sys.settrace(trace)'],
  'a profile function': ['import sys', 'def profile(*_): return kept and None', 'sys.setprofile(profile)'],
  'a codec': ['import codecs', 'def search(name): return kept and None', 'codecs.register(search)'],
  'an error handler of codecs': ['import codecs', "codecs.register_error('kept', lambda _: kept)"],
  'a finder of modules': [
    'import sys',
    'class Finder:',
    '    def find_spec(self, *_): return kept and None',
    'sys.meta_path.append(Finder())',
  ],
  'a path hook': [
    'import sys',
    'def hook(path): raise ImportError(str(kept)[:0])',
    'sys.path_hooks.insert(0, hook)',
  ],
  'an audit hook': ['import sys', 'def hook(*_): kept', 'sys.addaudithook(hook)'],
  'a logging handler': [
    'import logging',
    'class Handler(logging.Handler):',
    '    def emit(self, record): kept',
    "logging.getLogger('a').addHandler(Handler())",
  ],
  'a logging filter': ['import logging', "logging.getLogger('a').addFilter(lambda record: kept)"],
  'an event loop with a task': [
    'import asyncio',
    'loop = asyncio.new_event_loop()',
    'asyncio.set_event_loop(loop)',
    'async def wait(): await asyncio.sleep(60); return kept',
    'task = loop.create_task(wait())',
    'loop.run_until_complete(asyncio.sleep(0))',
  ],
  'a replaced function': ['import time', 'def sleep(_): return kept', 'time.sleep = sleep'],
  'an attribute of a module': ['import os', 'os.mine = kept'],
  'a replaced attribute of a module': ['import os', 'os.linesep = kept'],
  'an attribute of a class': ['import abc', 'abc.ABC.mine = kept'],
  'an attribute of a function': ['import os', 'os.getenv.mine = kept'],
  'a builtin': ['import builtins', 'builtins.mine = kept'],
  'an attribute of `sys`': ['import sys', 'sys.mine = kept'],
  'a module of its own': [
    'import sys, types',
    "module = types.ModuleType('mine'); module.kept = kept; module.me = module",
    "sys.modules['mine'] = module",
  ],
  'a mapping of a module': ['import encodings', "encodings._cache['mine'] = kept"],
  'a cached function': ['import functools', '@functools.lru_cache', 'def f(x): return x', 'f(id); f(kept)'],
  'a single dispatch': [
    'import functools',
    '@functools.singledispatch',
    'def f(x): return kept',
    'f.register(int, lambda _: kept)',
  ],
  'a context variable': ['import contextvars', "contextvars.ContextVar('mine').set(kept)"],
  'a thread-local variable': ['import threading', 'local = threading.local(); local.kept = kept'],
  'an abstract class with a virtual subclass': [
    'import collections.abc',
    'class Virtual:',
    '    mine = kept',
    'collections.abc.Sized.register(Virtual)',
    'isinstance(Virtual(), collections.abc.Sized)',
  ],
  'a signal handler': ['import signal', 'signal.signal(signal.SIGUSR1, lambda *_: kept)'],
  'a cycle': ['class Node: pass', 'node = Node(); node.me, node.kept = node, kept', 'del node'],
  'a tree with parents': [
    'class Node:',
    '    def __init__(self, parent): self.parent, self.children, self.kept = parent, [], kept',
    'root = Node(None); root.children.append(Node(root))',
  ],
  'a decorator': [
    'def decorator(function):',
    '    def inner(*args): return kept, function(*args)',
    '    inner.__wrapped__ = function',
    '    return inner',
    '@decorator',
    'def f(): return 1',
    'f()',
  ],
  'a frame of a traceback': [
    'import sys',
    'def f(inner): raise ValueError',
    'try: f(kept)',
    'except ValueError as error: sys.mine = error',
  ],
  'an exit function': ['import atexit', 'atexit.register(lambda: kept and None)'],
  'exit functions that ran before': ['import atexit', 'atexit._run_exitfuncs()'],
  'no exit functions': ['import atexit', 'atexit._clear()', 'import time', 'time.sleep = lambda _: kept'],
  'an exit in a function': ['import sys, time', 'time.sleep = lambda _: kept', 'def f(): sys.exit(3)', 'f()'],
}

const exits = {
  '': [],
  ', and a failure': ['1/0'],
}

/** Every object in every shape, with both ways to end. */
export const ends: readonly TestProgram[] = Object.entries(visibleEnds).flatMap(([object, make]) =>
  Object.entries(shapes).flatMap(([shape, hold]) =>
    Object.entries(exits).map(([exit, lines]) =>
      program(`${object} in ${shape}${exit}`, ...make, ...hold, ...lines),
    ),
  ),
)

/** Programs that lost data, crashed or showed the resident Python when modules were not taken apart at the end. */
export const endsOnce: readonly TestProgram[] = [
  ...ends.filter(({ name }) =>
    [
      'a file with unwritten data in a data class in `List`',
      'a generator with an open file in a replaced function',
      'a destructor that imports in a cycle',
      'a temporary directory in an attribute of a function',
    ].includes(name),
  ),
  // Before 3.10 Python itself crashes at its end.
  ...['callbacks', 'garbage'].map((list) =>
    program(
      `a file with unwritten data, and gc.${list}`,
      'import gc, sys',
      `sys.version_info < (3, 10) or gc.${list}.append(lambda *_: None)`,
      "file = open('out.txt', 'w'); file.write('data')",
    ),
  ),
  program(
    'a trace function that raises',
    'import sys',
    'steps = 0',
    'def trace(frame, *_):',
    '    global steps; steps += 1',
    "    if steps > 3: raise RuntimeError('too many steps')",
    'sys.settrace(trace)',
  ),
  program(
    'a profiler that lists functions',
    'import atexit, sys',
    'seen = []',
    'atexit.register(print, seen)',
    'sys.setprofile(lambda frame, event, _: seen.append((event, frame.f_code.co_name)))',
  ),
  program(
    'exit functions at once, and then an encoding',
    'import atexit, subprocess, os, sys',
    'atexit._run_exitfuncs()',
    "print(subprocess.run(['echo', 'x'], encoding='latin-1', stdout=subprocess.PIPE).stdout, sys.modules['os'] is os)",
  ),
  program(
    'a destructor that compares classes of pickled objects',
    'import os, pickle, sys',
    "data = pickle.dumps(os.stat('.'))",
    'class C:',
    '    def __init__(self): self.me = self',
    '    def __del__(self): print(isinstance(pickle.loads(data), os.stat_result), sys.modules.get("os") is os)',
    'C()',
  ),
  // The resident Python has these modules, too, and keeps none of them alive.
  program(
    'objects in modules, in the order of their end',
    'import sys',
    'class Loud:',
    '    def __init__(self, name): self.name = name',
    "    def __del__(self): print('del', self.name)",
    'for name in sorted(sys.modules):',
    "    if name in ('_signal', '_struct', 'io', 'itertools', 'types'): sys.modules[name].mine = Loud(name)",
  ),
  program(
    'a low recursion limit',
    'import sys',
    'try: sys.setrecursionlimit(4)',
    'except RecursionError: print("refused")',
  ),
]
