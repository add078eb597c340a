"""Generates programs for tests of undo: cells that change variables, the process and files in many ways, from a number."""

import json
import random
import sys

# Each is one cell. `{v}` is one of a few variable names, `{w}` another, `{n}` a small number, `{f}` a file name.
KINDS = """
{v} = [{n}, {n} + 1]
{v} = {{'a': {n}, 'b': [{n}]}}
{v} = {{{n}, 'x', ({n},)}}
{v} = {w} = [[{n}]]
{v} = [{n}]; {v}.append({v})
{v} = globals().get('{w}')
if isinstance(globals().get('{v}'), list): {v}.append({n})
if isinstance(globals().get('{v}'), dict): {v}['k{n}'] = {n}; print(sorted(map(str, {v})))
globals().pop('{v}', None)
{v} = bytearray(b'ab' * {n}); {v}[0:1] = b'z'
{v} = memoryview(bytearray({n} + 4)); {v}[1] = {n}
{v} = (i * {n} for i in range(100)); print(next({v}), next({v}))
print([next({v}) for _ in range(2)] if type(globals().get('{v}')).__name__ == 'generator' else 'no generator')
{v} = iter(range({n}, 1000)); print(next({v}))
def {v}(x, y=[]):\\n    y.append(x)\\n    return list(y)
print({v}({n}) if type(globals().get('{v}')).__name__ == 'function' else 'no function')
def make_{v}():\\n    count = {n}\\n    def more():\\n        nonlocal count\\n        count += 1\\n        return count\\n    return more\\n{v} = make_{v}()\\nprint({v}())
class {v}_kind:\\n    shared = []\\n    def __init__(self, x): self.x = x; self.shared.append(x)\\n{v} = {v}_kind({n})
if hasattr(globals().get('{v}'), 'shared'): {v}.x += {n}; {v}.shared.append({n}); print({v}.x, {v}.shared)
class {v}_slots:\\n    __slots__ = ('a', '__weakref__')\\n{v} = {v}_slots(); {v}.a = {n}
import weakref; target = {v}_list = type('T', (list,), {{}})([{n}]); {v} = weakref.ref(target)
import dataclasses\\n@dataclasses.dataclass\\nclass Point:\\n    x: int\\n    y: list = dataclasses.field(default_factory=list)\\n{v} = Point({n}); {v}.y.append({n}); print({v})
import collections; {v} = collections.OrderedDict(a={n}); {v}.move_to_end('a'); {w} = collections.deque([1, {n}], maxlen=3)
import itertools; {v} = itertools.count({n}); print(next({v}))
import functools\\n@functools.lru_cache(None)\\ndef cached(x):\\n    calls.append(x)\\n    return x * 2\\ncalls = []\\nprint(cached({n}), cached({n}), calls)
print(cached({n} + 1) if 'cached' in globals() else 'none', globals().get('calls'))
open('{f}', 'w').write('text {n}\\\\n' * {n})
open('{f}', 'a').write('more {n}\\\\n')
print(open('{f}').read()[-20:] if os.path.isfile('{f}') else 'none')
os.path.isfile('{f}') and os.remove('{f}')
os.path.isfile('{f}') and os.rename('{f}', 'renamed{n}.txt')
os.path.isfile('{f}') and os.replace('{f}', '{g}')
os.path.isfile('{f}') and not os.path.lexists('hard{n}') and os.link('{f}', 'hard{n}')
os.path.lexists('soft{n}') or os.symlink('{f}', 'soft{n}')
os.path.lexists('soft{n}') and os.remove('soft{n}')
os.makedirs('dir{n}/sub', exist_ok=True); open('dir{n}/sub/{f}', 'w').write('{n}')
shutil.rmtree('dir{n}', ignore_errors=True)
os.path.isdir('dir{n}') and not os.path.exists('moved{n}') and os.rename('dir{n}', 'moved{n}')
os.path.isfile('{f}') and os.chmod('{f}', 0o640 if {n} % 2 else 0o755)
os.path.isfile('{f}') and os.utime('{f}', (1000000 + {n}, 1000000 + {n}))
os.path.isfile('{f}') and os.truncate('{f}', {n})
{v} = open('{f}', 'w+'); {v}.write('open {n} '); {v}.flush()
{v} = open('{f}', 'ab'); {v}.write(b'bytes {n}')
if hasattr(globals().get('{v}'), 'fileno') and not {v}.closed: {v}.flush(); print({v}.tell())
if hasattr(globals().get('{v}'), 'write') and not {v}.closed and 'b' not in getattr({v}, 'mode', 'b'): {v}.write('again {n} '); {v}.flush()
if hasattr(globals().get('{v}'), 'close'): {v}.close()
import sqlite3; db = sqlite3.connect('data.db'); db.execute('create table if not exists t (x)'); db.execute('insert into t values ({n})'); db.commit(); print(db.execute('select count(*), sum(x) from t').fetchone())
if 'db' in globals(): db.execute('insert into t values ({n})'); db.commit(); print(db.execute('select count(*) from t').fetchone())
if 'db' in globals(): db.execute('delete from t where x > {n}'); db.commit()
import sqlite3; memory = sqlite3.connect(':memory:'); memory.execute('create table t (x)'); memory.execute('insert into t values ({n})')
if 'memory' in globals(): memory.execute('insert into t values ({n})'); print(memory.execute('select sum(x) from t').fetchone())
import random; random.seed({n}); print(random.random())
import random; print(random.random(), random.randint(0, 9))
import random; {v} = random.Random({n}); print({v}.random())
if type(globals().get('{v}')).__name__ == 'Random': print({v}.random())
os.environ['NAME{n}'] = 'value {n}'
os.environ.pop('NAME{n}', None)
os.makedirs('dir{n}', exist_ok=True); os.chdir('dir{n}'); print(os.path.basename(os.getcwd())); open('inner', 'w').write('x'); os.chdir(home)
import signal; signal.signal(signal.SIGUSR1, lambda *_: hits.append({n})); hits = globals().get('hits', []); signal.raise_signal(signal.SIGUSR1); print(hits)
import signal; signal.signal(signal.SIGUSR1, signal.SIG_IGN)
import signal; signal.signal(signal.SIGALRM, lambda *_: None); signal.setitimer(signal.ITIMER_REAL, 1000 + {n})
import signal; signal.setitimer(signal.ITIMER_REAL, 0)
import types; sys.modules['made{n}'] = types.ModuleType('made{n}'); sys.modules['made{n}'].value = {n}
import made{n} if 'made{n}' in sys.modules else None
open('module{n}.py', 'w').write('value = {n}'); import importlib; importlib.invalidate_caches(); home in sys.path or sys.path.insert(0, home); sys.modules.pop('module{n}', None); import module{n}; print(module{n}.value)
import builtins; builtins.extra{n} = {n}
import decimal; decimal.getcontext().prec = {n} + 5; print(decimal.Decimal(1) / 7)
import decimal; print(decimal.Decimal(1) / 7)
import warnings; warnings.simplefilter('error' if {n} % 2 else 'ignore')
import warnings; warnings.warn('careful {n}')
os.umask(0o027 if {n} % 2 else 0o022)
import resource; resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
import threading; lock = threading.Lock(); lock.acquire() if {n} % 2 else None; print(lock.locked())
if 'lock' in globals() and lock.locked(): lock.release(); print('released')
import contextvars; variable = contextvars.ContextVar('variable'); variable.set({n})
import contextvars; print(variable.get(0) if 'variable' in globals() else 'none')
import array; {v} = array.array('i', [1, 2, {n}]); {v}.append({n})
import heapq; {v} = [{n}, 5, 3]; heapq.heapify({v}); print(heapq.heappop({v}))
import re; {v} = re.compile('a{n}+'); print({v}.pattern)
import tempfile; {v} = tempfile.TemporaryFile(); {v}.write(b'temporary {n}'); {v}.flush()
import logging; logging.getLogger('log{n}').setLevel({n} * 10); logging.basicConfig(filename='log.txt', force=True, format='%(message)s'); logging.warning('record {n}')
import logging; logging.warning('again {n}') if logging.getLogger().handlers else None
import concurrent.futures; pool = concurrent.futures.ThreadPoolExecutor(2); print(list(pool.map(abs, [-{n}, 2])))
print(list(pool.map(abs, [-{n}, 3])) if 'pool' in globals() else 'no pool')
import copy; {v} = copy.deepcopy(globals().get('{w}') if type(globals().get('{w}')) in (list, dict) else None)
sys.setrecursionlimit(1000 + {n})
import gc; gc.set_threshold(700 + {n})
import locale; {v} = locale.setlocale(locale.LC_ALL)
{v} = [object() for _ in range({n})]; {w} = {v}[-1] if {v} else None; print({w} in {v})
import selectors, socket; pipe = os.pipe(); os.write(pipe[1], b'x'); print(os.read(pipe[0], 1))
import time; os.path.isfile('{f}') and os.utime('{f}')
1 / 0
raise KeyError('{n}')
""".strip().splitlines()

NUMPY_KINDS = """
import numpy; {v} = numpy.arange({n} + 5)
import numpy; {v} = numpy.zeros(({n} + 1, 3)); {v}[0, 0] = {n}
if type(globals().get('{v}')).__name__ == 'ndarray' and {v}.dtype.kind in 'if': {v} *= 2; print({v}.sum())
if type(globals().get('{v}')).__name__ == 'ndarray': {w} = {v}[1:]; print({w}.shape)
import numpy; numpy.random.seed({n}); print(numpy.random.rand())
import numpy; print(numpy.random.rand())
import numpy; generator = numpy.random.default_rng({n}); print(generator.random())
print(generator.random() if 'generator' in globals() else 'none')
import numpy; numpy.save('array.npy', numpy.arange({n})); print(numpy.load('array.npy').sum())
import numpy; numpy.seterr(all='ignore' if {n} % 2 else 'warn')
import numpy; {v} = numpy.random.default_rng(1).random((200, 200)); {w} = float(({v} @ {v}).sum()); print(round({w}, 6))
import pandas; {v} = pandas.DataFrame({{'a': [1, 2, {n}], 'b': ['x', 'y', 'z']}})
if type(globals().get('{v}')).__name__ == 'DataFrame': {v}['c{n}'] = {v}['a'] * {n}; print({v}.shape)
if type(globals().get('{v}')).__name__ == 'DataFrame': {v}.loc[0, 'a'] = {n}; print({v}['a'].sum())
if type(globals().get('{v}')).__name__ == 'DataFrame': {v}.to_csv('{f}'); print(open('{f}').read()[:20])
if type(globals().get('{v}')).__name__ == 'DataFrame': print({v}.groupby('b')['a'].sum().tolist())
import pandas; {v} = pandas.Series(range({n})); print({v}.mean())
import pandas; pandas.set_option('display.max_rows', {n} + 10)
import pandas; print(pandas.read_csv('{f}').shape if os.path.isfile('{f}') and open('{f}').read(2) == ',a' else 'none')
""".strip().splitlines()

# A cell that imports what the others and the dump need. Each import of these draws random numbers otherwise.
FIRST = "import os, sys, shutil, gc, hashlib, signal, stat, types, warnings; home = os.getcwd(); import random; random.seed(1)"


LIBRARIES = "; import numpy, pandas; numpy.random.seed(1)"


def program(number, libraries):
    draw = random.Random(number)
    kinds = KINDS + NUMPY_KINDS * 3 if libraries else KINDS

    def cell():
        names = draw.sample(["a", "b", "c", "d"], 2)
        files = draw.sample(["one.txt", "two.txt", "three.bin"], 2)
        text = draw.choice(kinds).format(v=names[0], w=names[1], f=files[0], g=files[1], n=draw.randint(0, 6))
        return text.replace("\\n", "\n")

    return {
        "number": number,
        "setup": [FIRST + (LIBRARIES if libraries else ""), *(cell() for _ in range(draw.randint(2, 6)))],
        "undone": [cell() for _ in range(draw.randint(1, 3))],
        "following": [cell() for _ in range(draw.randint(1, 3))],
    }


if __name__ == "__main__":
    first, count = int(sys.argv[1]), int(sys.argv[2])
    print(json.dumps([program(first + index, sys.argv[3:] == ["libraries"]) for index in range(count)]))
