import { program, type TestProgram } from '../program.ts'
import { shapes, visibleEnds } from './ends.ts'

/** Programs as models write them, whose end makes no visible difference: it must be short. */
export const unseenEnds: readonly TestProgram[] = [
  program('nothing'),
  program('a text that is printed', "print('text')"),
  program(
    'a computation',
    'from math import sqrt',
    'primes = [n for n in range(2, 2_000) if all(n % d for d in range(2, int(sqrt(n)) + 1))]',
    'print(len(primes), sum(primes))',
  ),
  program('a failure', 'def f(x): return 1 / x', 'f(0)'),
  program(
    'an exception class',
    'class Mine(Exception):',
    "    def __str__(self): return 'said'",
    'raise Mine()',
  ),
  program('a file that was read', 'text = open(__file__).read(); print(len(text))'),
  program('a file that is read, and not closed', 'file = open(__file__); print(file.readline())'),
  program('a file in bytes that is read, and not closed', "file = open(__file__, 'rb'); print(file.read(5))"),
  program('a file that was written', "with open('out.txt', 'w') as file: print('text', file=file)"),
  program('a file that was closed', "file = open('out.bin', 'wb'); file.write(b'data'); file.close()"),
  program(
    'tables of the library',
    'import csv, io',
    "rows = list(csv.DictReader(io.StringIO('a,b\\n1,2\\n')))",
    "with open('out.csv', 'w', newline='') as file:",
    '    writer = csv.DictWriter(file, rows[0]); writer.writeheader(); writer.writerows(rows)',
    'print(rows)',
  ),
  program('JSON', 'import json', "print(json.dumps({'a': [1, None]}, indent=2), json.loads('[1]'))"),
  program('patterns', 'import re', "print(re.findall(r'(\\w+)@(\\w+)', 'a@b c@d'))"),
  program(
    'a data class',
    'from dataclasses import dataclass, field',
    '@dataclass(order=True)',
    'class Item:',
    '    name: str',
    '    parts: list = field(default_factory=list)',
    'print(sorted([Item("b"), Item("a")]))',
  ),
  program(
    'an enumeration',
    'from enum import Enum, Flag, auto',
    'class Color(str, Enum):',
    "    RED = 'red'",
    'class Right(Flag):',
    '    READ = auto(); WRITE = auto()',
    'print(Color.RED, Right.READ | Right.WRITE)',
  ),
  program(
    'a log',
    'import logging',
    "logging.basicConfig(level='INFO'); logging.getLogger('a').info('said')",
  ),
  program(
    'a command',
    'import subprocess',
    "done = subprocess.run(['echo', 'said'], capture_output=True, text=True); print(done.stdout, done.returncode)",
  ),
  program('a shell command', 'import os', "print(os.system('echo said'), os.popen('echo more').read())"),
  program(
    'a process that was waited for',
    'import subprocess',
    "process = subprocess.Popen(['echo', 'said'], stdout=subprocess.PIPE); print(process.communicate())",
  ),
  program(
    'coroutines',
    'import asyncio',
    'async def work(n): await asyncio.sleep(0); return n',
    'async def main(): return await asyncio.gather(work(1), work(2))',
    'print(asyncio.run(main()))',
  ),
  program(
    'threads',
    'from concurrent.futures import ThreadPoolExecutor',
    'import threading',
    'with ThreadPoolExecutor(2) as pool: print(list(pool.map(str, range(3))))',
    'thread = threading.Thread(target=print, args=("said",)); thread.start()',
  ),
  program(
    'a temporary directory that was removed',
    'import tempfile, pathlib',
    'with tempfile.TemporaryDirectory() as name: pathlib.Path(name, "x").write_text("y")',
    'with tempfile.TemporaryFile() as file: file.write(b"z")',
  ),
  program(
    'modules of the library',
    'import argparse, base64, bisect, calendar, collections, contextlib, copy, datetime, decimal, difflib, fractions, functools',
    'import glob, gzip, hashlib, heapq, itertools, math, operator, os, pathlib, pickle, pprint, queue, random, shutil, statistics',
    'import string, struct, textwrap, time, timeit, traceback, types, typing, unicodedata, unittest, urllib.request, uuid, zipfile',
    'print(datetime.date(2024, 2, 29), decimal.Decimal("1.10"), hashlib.sha256(b"x").hexdigest())',
  ),
  program('an exit function', 'import atexit', "atexit.register(print, 'said')"),
  program(
    'a collection',
    'import gc',
    'class Node: pass',
    'node = Node(); node.me = node; del node',
    'print(gc.collect() > 0)',
  ),
  program('a generator that has ended', 'def count(): yield 1', 'numbers = count(); print(list(numbers))'),
  program(
    'a silenced warning',
    'import warnings',
    "warnings.filterwarnings('ignore')",
    "warnings.warn('said')",
  ),
  program(
    'a cached function',
    'from functools import lru_cache',
    '@lru_cache',
    'def f(n): return n < 2 or f(n - 1)',
    'print(f(99))',
  ),
  program(
    'a weak dictionary',
    'import weakref',
    'class A: pass',
    'kept = A()',
    'all = weakref.WeakValueDictionary(a=kept)',
  ),
  program(
    'output that was redirected',
    'import contextlib, io',
    'with contextlib.redirect_stdout(io.StringIO()) as text: print(1)',
  ),
]

/** With NumPy, pandas and Matplotlib. */
export const unseenEndsOfLibraries: readonly TestProgram[] = [
  program(
    'NumPy',
    'import numpy as np',
    'print(np.linalg.inv(np.eye(3)).sum(), np.random.default_rng(1).normal())',
  ),
  program(
    'a table that is grouped, written and read',
    'import pandas as pd',
    "table = pd.DataFrame({'a': [1, 1, 2], 'b': [1.5, 2, 3]})",
    "print(table.groupby('a').agg(['mean', 'count']))",
    "table.to_csv('out.csv', index=False); print(pd.read_csv('out.csv').describe())",
  ),
  program(
    'a figure that is saved',
    'import matplotlib.pyplot as plt',
    "figure, axes = plt.subplots(1, 2); axes[0].plot([1, 2]); axes[1].hist([1, 2, 2]); axes[0].set_title('t')",
    "figure.tight_layout(); figure.savefig('out.png')",
  ),
  program(
    'a figure of a table',
    'import pandas as pd',
    "pd.Series([1, 3]).plot(); import matplotlib.pyplot as plt; plt.savefig('out.png'); plt.close()",
  ),
]

/** Other objects whose end can be seen, or almost. */
const moreEnds: Readonly<Record<string, readonly string[]>> = {
  'a number with a destructor': [
    'class Loud(int):',
    '    __slots__ = ()',
    "    def __del__(self): print('destroyed')",
    'kept = Loud(5)',
  ],
  'an object of a class that gets a destructor': [
    'class Late: pass',
    'kept = Late()',
    "Late.__del__ = lambda self: print('destroyed')",
  ],
  'an object that gets a class with a destructor': [
    'import types',
    'class Loud(types.ModuleType):',
    "    def __del__(self): print('destroyed')",
    "kept = types.ModuleType('quiet')",
    'kept.__class__ = Loud',
  ],
  'a weak reference with a callback': [
    'import weakref',
    'class A: pass',
    'a = A()',
    "kept = weakref.ref(a, lambda _: print('gone'))",
  ],
  'a proxy with a callback': [
    'import weakref',
    'class A: pass',
    'a = A()',
    "kept = weakref.proxy(a, lambda _: print('gone'))",
  ],
  'a finalizer': [
    'import weakref',
    'class A: pass',
    'kept = A()',
    "weakref.finalize(kept, print, 'gone').atexit = False",
  ],
  'a suspended asynchronous generator': [
    'async def numbers():',
    '    try: yield 1',
    "    finally: print('closed')",
    'kept = numbers()',
    'try: kept.asend(None).send(None)',
    'except StopIteration: pass',
  ],
  'a subclass of a file': [
    'import io',
    'class File(io.RawIOBase):',
    "    def close(self): print('closed')",
    'kept = File()',
  ],
  'text over an object of the program': [
    'import io',
    'class Sink:',
    '    closed = False',
    '    def readable(self): return False',
    '    def writable(self): return True',
    '    def seekable(self): return False',
    "    def write(self, data): print('wrote', bytes(data)); return len(data)",
    '    def flush(self): pass',
    "    def close(self): print('closed')",
    "kept = io.TextIOWrapper(Sink()); kept.write('data')",
  ],
  'a file whose method is replaced': ["kept = open(__file__); kept.close = lambda: print('closed')"],
  'a temporary file': [
    'import tempfile',
    "kept = tempfile.NamedTemporaryFile('w', dir='.', delete=False, suffix='.kept'); kept.write('data')",
  ],
  'a directory that is listed': [
    'import os, warnings',
    "warnings.simplefilter('always')",
    "kept = os.scandir('.'); next(kept)",
  ],
  'a file, and warnings that are shown': [
    'import warnings',
    "warnings.simplefilter('always')",
    'kept = open(__file__)',
  ],
  'a file, and no filters of warnings': ['import warnings', 'warnings.filters = []', 'kept = open(__file__)'],
  'a file, and a warning that is an error': [
    'import warnings',
    "warnings.filterwarnings('error', category=ResourceWarning)",
    'kept = open(__file__)',
  ],
  'a database': [
    'import sqlite3',
    "kept = sqlite3.connect('out.db'); kept.execute('pragma journal_mode = wal')",
    "kept.execute('create table t (a)'); kept.execute('insert into t values (1)'); kept.commit()",
  ],
  'a socket': ['import socket, warnings', "warnings.simplefilter('always')", 'kept = socket.socket()'],
  'an executor': [
    'from concurrent.futures import ThreadPoolExecutor',
    'kept = ThreadPoolExecutor(1); kept.submit(print, "said")',
  ],
  'a process': ['import subprocess', "kept = subprocess.Popen(['true']); kept.wait()"],
  'an archive': ['import zipfile', "kept = zipfile.ZipFile('out.zip', 'w'); kept.writestr('a', 'b')"],
  'a class whose class has a hash': [
    'class Meta(type):',
    "    def __hash__(self): print('hashed'); return 1",
    'class A(metaclass=Meta): pass',
    'kept = A()',
  ],
  'a name with its own hash': [
    'class Name(str):',
    "    def __hash__(self): print('hashed'); return 1",
    "kept = Name('a'); globals()[kept] = 1",
  ],
}

/** Objects whose end can be seen and objects whose end cannot. */
const objects: Readonly<Record<string, readonly string[]>> = {
  ...visibleEnds,
  ...moreEnds,
  'a list': ['kept = [{}, (1,), {2}]'],
  'a closed file': ["kept = open('out.txt', 'w'); kept.write('data'); kept.close()"],
  'an object with itself': ['class A: pass', 'kept = A(); kept.me = kept'],
  'a function': ['def kept(): return kept'],
  'a class': ['class kept(dict): pass'],
  'text in memory': ['import io', "kept = io.StringIO('data')", 'more = io.TextIOWrapper(io.BytesIO())'],
  'a weak set': ['import weakref', 'class A: pass', 'a = A()', 'kept = weakref.WeakSet([a])'],
  'a partial function': ['from functools import partial', "kept = partial(print, 'x')"],
  'an exception': ['try: 1 / 0', 'except ZeroDivisionError as error: kept = error'],
}

const exits: Readonly<Record<string, readonly string[]>> = {
  '': [],
  ', and a failure': ['1/0'],
  ', and an exit': ['import sys; sys.exit(3)'],
  ', and an interruption': ['raise KeyboardInterrupt'],
}

/** Every object in every shape, with every way to end: some thousand programs. */
export const endsOfObjects: readonly TestProgram[] = Object.entries(objects).flatMap(([object, make]) =>
  Object.entries(shapes).flatMap(([shape, hold]) =>
    Object.entries(exits).map(([exit, lines]) =>
      program(`${object} in ${shape}${exit}`, ...make, ...hold, ...lines),
    ),
  ),
)
