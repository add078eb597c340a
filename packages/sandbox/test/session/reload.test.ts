import { describe, expect, it } from 'vitest'
import { python } from '../python.ts'
import { runPart } from './parts.ts'

interface Carried {
  readonly lost: readonly string[]
  readonly printed: readonly string[]
}

/** A program, what is asked of its variables in a new Python, and the answer. */
interface Row {
  readonly name: string
  readonly first: string
  readonly second: string
  readonly printed: readonly string[]
  readonly lost?: readonly string[]
}

const rows: readonly Row[] = [
  {
    name: 'values that are shared and values that contain themselves',
    first: 'a = [1]; b = a; a.append(a)',
    second: 'print(a is b, a[1] is a)',
    printed: ['True True'],
  },
  {
    name: 'a variable that two closures share',
    first: `
def make():
    count = 1
    def more():
        nonlocal count
        count += 1
    return more, lambda: count
more, count = make()
more()`,
    second: 'more(); print(count())',
    printed: ['3'],
  },
  {
    name: 'a function that calls itself from its own closure',
    first: 'def make():\n  def f(n): return n * f(n - 1) if n else 1\n  return f\nf = make()',
    second: 'print(f(5))',
    printed: ['120'],
  },
  {
    name: 'classes with what they are made of',
    first: `
class A:
    count = 0
    def __init__(self): A.count += 1
    p = property(lambda self: self.count)
    @classmethod
    def c(cls): return cls.__name__
class B(A):
    def __init__(self): super().__init__(); self.me = self
b = B()`,
    second: 'print(b.p, B.c(), b.me is b, isinstance(b, A)); B(); print(A.count)',
    printed: ['1 B True True', '2'],
  },
  {
    name: 'data classes, enumerations and named tuples',
    first: `
import collections, dataclasses, enum
@dataclasses.dataclass(order=True)
class P:
    x: int
    y: list = dataclasses.field(default_factory=list)
class C(enum.Enum):
    R = 1
    def up(self): return self.name
N = collections.namedtuple('N', 'a b', defaults=[5])
p, c, n = P(1), C.R, N(1)`,
    second: 'print(p < P(2), dataclasses.asdict(p), c is C.R, C(1).up(), n, N(2).b)',
    printed: ["True {'x': 1, 'y': []} True R N(a=1, b=5) 5"],
  },
  {
    name: 'abstract classes, slots, generics and caches',
    first: `
import abc, functools, typing
class S(abc.ABC):
    __slots__ = ('a',)
    @abc.abstractmethod
    def m(self): ...
class Q(S):
    def m(self): return self.a
q = Q(); q.a = 3
T = typing.TypeVar('T')
class Box(typing.Generic[T]):
    def __init__(self, x): self.x = x
box = Box(4)
@functools.lru_cache(None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)`,
    second: `
print(q.m(), box.x, fib(20))
try: S()
except TypeError: print('abstract')`,
    printed: ['3 4 6765', 'abstract'],
  },
  {
    name: 'random numbers, the environment and imports',
    first: `
import os, os.path as path, random
random.seed(5)
os.environ['FENCED_TEST_NAME'] = 'value'`,
    second: "print(round(random.random(), 4), os.environ['FENCED_TEST_NAME'], path.join('a', 'b'))",
    printed: ['0.6229 value a/b'],
  },
  {
    name: 'what it cannot take, by name',
    first: `
import socket, sqlite3, threading, types, weakref
class K: pass
k = K()
g, f, l, s, db, w, m = (i for i in []), open('/dev/null'), threading.Lock(), socket.socket(), sqlite3.connect(':memory:'), weakref.ref(k), types.ModuleType('m')
both, ok = [k, g], 5`,
    second: "print(ok, type(k) is K, 'g' in globals())",
    printed: ['5 True False'],
    lost: ['both', 'db', 'f', 'g', 'l', 'm', 's', 'w'],
  },
]

describe.skipIf(python.missing)('variables by value', () => {
  it('a new Python has them, and the names of the others', async () => {
    const programs = rows.map(({ first, second }) => [first, second])
    const carried: readonly Carried[] = JSON.parse(await runPart('reload.py', JSON.stringify(programs)))
    const named = carried.map((each, index) => ({ name: rows[index]?.name, ...each }))
    expect(named).toEqual(rows.map(({ name, printed, lost = [] }) => ({ name, lost, printed })))
  })
})
