/** A program, what a second one prints with its variables in a new Python, and the names of variables that are not there. */
export interface ValueRow {
  readonly name: string
  readonly first: string
  readonly second: string
  readonly printed: readonly string[]
  readonly lost?: readonly string[]
}

/** A row that needs a certain part of the sources, and what comes of it without that part: the same, or an error. */
export interface ValueRepair extends ValueRow {
  readonly off: readonly [text: string, other: string]
  readonly wrong: { readonly printed: readonly string[]; readonly lost?: readonly string[] } | RegExp
}

/** Values of programs. */
export const rows: readonly ValueRow[] = [
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

/** Parts of functions. */
const functions: readonly ValueRepair[] = [
  {
    name: 'attributes of a function',
    off: ['    vars(function).update(own)\n', ''],
    first: 'def f(): pass\nf.note = 1',
    second: 'print(vars(f))',
    printed: ["{'note': 1}"],
    wrong: { printed: ['{}'] },
  },
  {
    name: 'defaults of a function',
    off: ['        "__defaults__": function.__defaults__,\n', ''],
    first: 'def f(x=1): return x',
    second: 'print(f())',
    printed: ['1'],
    wrong: /missing 1 required positional argument/,
  },
  {
    name: 'defaults of a function by name',
    off: ['        "__kwdefaults__": function.__kwdefaults__,\n', ''],
    first: 'def f(*, x=1): return x',
    second: 'print(f())',
    printed: ['1'],
    wrong: /missing 1 required keyword-only argument/,
  },
  {
    name: 'annotations of a function',
    off: ['        "__annotations__": function.__annotations__,\n', ''],
    first: 'def f(x: int): pass',
    second: 'print(f.__annotations__)',
    printed: ["{'x': <class 'int'>}"],
    wrong: { printed: ['{}'] },
  },
  {
    name: 'names and documentation that a program has given to a function',
    off: [
      '        "__qualname__": function.__qualname__,\n        "__module__": function.__module__,\n        "__doc__": function.__doc__,\n',
      '',
    ],
    first: 'def f(): pass\nf.__qualname__, f.__module__, f.__doc__ = "A.f", "a", "Text."',
    second: 'print(f.__qualname__, f.__module__, f.__doc__)',
    printed: ['A.f a Text.'],
    wrong: { printed: ['f __main__ None'] },
  },
  {
    name: 'a variable of a closure that has no value yet',
    off: ['        if is_full:\n            cell', '        if True:\n            cell'],
    first: 'def make():\n  def f(): return later\n  if False: later = 1\n  return f\nf = make()',
    second: 'try: f()\nexcept NameError: print("no value")',
    printed: ['no value'],
    wrong: { printed: [] },
  },
  {
    name: 'a variable of a closure without its function',
    off: ['        if pickler.open_cells - pickler.filled:\n            return None\n', ''],
    first: 'def make(x): return lambda: x\ncell = make(1).__closure__[0]',
    second: 'print("cell" in globals())',
    printed: ['False'],
    lost: ['cell'],
    wrong: { printed: ['True'] },
  },
  {
    name: 'the size of a cache',
    off: ['lru_cache(most, is_typed)', 'lru_cache()'],
    first: 'import functools\n@functools.lru_cache(3, True)\ndef f(): pass',
    second: 'print(f.cache_parameters())',
    printed: ["{'maxsize': 3, 'typed': True}"],
    wrong: { printed: ["{'maxsize': 128, 'typed': False}"] },
  },
]

/** Parts of classes. */
const classes: readonly ValueRepair[] = [
  {
    name: 'slots',
    off: ['        names["__slots__"] = slots\n', '        pass\n'],
    first: 'class A: __slots__ = ("a",)',
    second: 'try: A().b = 1\nexcept AttributeError: print("refused")',
    printed: ['refused'],
    wrong: { printed: [] },
  },
  {
    name: 'fields of data classes',
    off: ['    for module, name in SINGLE_VALUES:\n', '    for module, name in []:\n'],
    first: 'import dataclasses\n@dataclasses.dataclass\nclass A:\n  x: int = 1',
    second: 'print([each.name for each in dataclasses.fields(A)])',
    printed: ["['x']"],
    wrong: { printed: ['[]'] },
  },
  {
    name: 'a class is not made a second time by its metaclass',
    off: [
      'else type.__new__\n    return make(meta, name, bases, dict(names))',
      'else type.__new__\n    return meta(name, bases, dict(names))',
    ],
    first:
      'made = []\nclass M(type):\n  def __new__(meta, *rest): made.append(1); return super().__new__(meta, *rest)\nclass A(metaclass=M): pass',
    second: 'print(made)',
    printed: ['[1]'],
    wrong: { printed: ['[1]'], lost: ['A'] },
  },
  {
    name: 'separate registrations of abstract classes',
    off: ['make = abc.ABCMeta.__new__ if', 'make = type.__new__ if'],
    first: 'import abc\nclass A(abc.ABC): pass\nclass B(abc.ABC): pass',
    second: 'A.register(int); print(issubclass(int, A), issubclass(int, B))',
    printed: ['True False'],
    wrong: { printed: ['True True'] },
  },
  {
    name: 'the bound of a type variable',
    off: ['typing.TypeVar(name, *constraints, **options)', 'typing.TypeVar(name, *constraints)'],
    first: 'import typing\nT = typing.TypeVar("T", bound=int)',
    second: 'print(T.__bound__)',
    printed: ["<class 'int'>"],
    wrong: { printed: ['None'] },
  },
  {
    name: 'a generic class of a type',
    off: ['        names["__orig_bases__"] = own["__orig_bases__"]\n', '        pass\n'],
    first:
      'import typing\nT = typing.TypeVar("T")\nclass A(typing.Generic[T]): pass\nclass B(A[int], typing.Generic[T]): pass',
    second: 'print(B[str].__args__)',
    printed: ["(<class 'str'>,)"],
    wrong: /Error/,
  },
  {
    name: 'properties with their documentation',
    off: ['(each.fget, each.fset, each.fdel, each.__doc__)', '(each.fget, each.fset, each.fdel)'],
    first: 'class A:\n  p = property(lambda self: 1, doc="Text.")',
    second: 'print(A.p.__doc__, A().p)',
    printed: ['Text. 1'],
    wrong: { printed: ['None 1'] },
  },
]

/** What is lost, and what is beside the variables. */
const losses: readonly ValueRepair[] = [
  {
    name: 'a value that can be written and not read is lost alone',
    off: ['        unpickler()(io.BytesIO(content), {}).load()\n', ''],
    first:
      'def fail(): raise OSError("cannot be read")\nclass A:\n  def __reduce__(self): return fail, ()\na, b = A(), 5',
    second: 'print(b)',
    printed: ['5'],
    lost: ['a'],
    wrong: /cannot be read/,
  },
  {
    name: 'one result that cannot go does not take the others along',
    off: ['            if name == "Out" and type(value) is dict:', '            if False:'],
    first: 'Out = {1: (i for i in []), 2: 5}',
    second: 'print(globals().get("Out"))',
    printed: ['{2: 5}'],
    wrong: { printed: ['None'], lost: ['Out'] },
  },
  {
    name: 'lost results are not variables',
    off: ['for name in lost if not is_result_name(name)]', 'for name in lost]'],
    first: '_, _3, _i3, _x = [(i for i in []) for _ in range(4)]',
    second: 'print("_3" in globals())',
    printed: ['False'],
    lost: ['_x'],
    wrong: { printed: ['False'], lost: ['_', '_3', '_i3', '_x'] },
  },
  {
    name: 'a module without a file is lost',
    off: [
      'or module.__name__ == "__main__" or module.__spec__ is None:',
      'or module.__name__ == "__main__":',
    ],
    first: 'import sys\nm = type(sys)("fenced_made"); sys.modules["fenced_made"] = m',
    second: 'print("m" in globals())',
    printed: ['False'],
    lost: ['m'],
    wrong: { printed: ['True'] },
  },
]

export const repairs: readonly ValueRepair[] = [...functions, ...classes, ...losses]
