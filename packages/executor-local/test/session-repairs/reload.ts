import type { Repair } from './repair.ts'

/** A pool of processes: no copy can continue with one. */
const pool = 'import multiprocessing\npool = multiprocessing.get_context("fork").Pool(1)\n'
const lost = 'state-reloaded pool'

/** What a new Python gets beside the variables, when it takes the place of a copy. */
export const reload: readonly Repair[] = [
  {
    name: 'a new Python draws the same random numbers',
    off: ['            state.revive_generator()\n', ''],
    before: `${pool}random.seed(7)`,
    after: 'print(round(random.random(), 6))',
    shown: ` | 0.323833 | ${lost}`,
    wrong: / \| (?!0\.323833)0\.\d+/,
  },
  {
    name: 'a new Python has the source of earlier cells',
    off: [
      '        linecache.cache[name] = len(source), None, source.splitlines(True), name\n    names',
      '        pass\n    names',
    ],
    before: `${pool}def f(): return 7`,
    after: 'import inspect; print(inspect.getsource(f).splitlines()[0])',
    shown: ` | def f(): return 7 | ${lost}`,
    wrong: ` | OSError: could not get source code | ${lost}`,
  },
  {
    name: 'a new Python counts cells on',
    off: ['session.count, session.flags = state["count"], state["flags"]', 'session.flags = state["flags"]'],
    before: pool,
    after: 'print(sys._getframe().f_code.co_filename)',
    shown: ` | <cell 3> | ${lost}`,
    wrong: ` | <cell 1> | ${lost}`,
  },
  {
    name: 'a new Python has the features of earlier cells',
    off: ['session.count, session.flags = state["count"], state["flags"]', 'session.count = state["count"]'],
    before: `from __future__ import annotations\n${pool}`,
    after: 'def f(x: missing): pass\nprint(f.__annotations__)',
    shown: ` | {'x': 'missing'} | ${lost}`,
    wrong: ` | NameError: name 'missing' is not defined | ${lost}`,
  },
  {
    name: 'a new Python continues the list `In`',
    off: ['        session.inputs[:] = names["In"]\n', ''],
    before: pool,
    after: 'print(In[-2].splitlines()[-1])',
    shown: ` | pool = multiprocessing.get_context("fork").Pool(1) | ${lost}`,
    wrong: ` | IndexError: list index out of range | ${lost}`,
  },
  {
    name: 'a new Python continues the dictionary `Out`',
    off: ['        shown.values.update(names["Out"])\n', ''],
    before: `${pool}6 * 7`,
    after: 'print(list(Out.values()))',
    shown: ` | [42] | ${lost}`,
    wrong: ` | [] | ${lost}`,
  },
  {
    name: 'a new Python replaces its last values',
    off: ['    shown.last = [', '    ignored = ['],
    before: `${pool}6 * 7`,
    after: 'sys.displayhook(7); print(_)',
    shown: ` | 7 | ${lost}`,
    wrong: ` | 42 | ${lost}`,
  },
  {
    name: 'imports of a new Python draw no random numbers',
    off: ['    # Imports may have drawn numbers.\n    set_process_state(state)\n', ''],
    before: `${pool}open("draws.py", "w").write("import random; random.random()")\nimport draws\nrandom.seed(7)`,
    after: 'print(round(random.random(), 6))',
    shown: ` | 0.323833 | ${lost}`,
    wrong: / \| (?!0\.323833)0\.\d+/,
  },
  {
    name: 'a new Python finds modules where the earlier one found them',
    off: ['    set_process_state({name: state[name] for name in STATE_FIRST})\n', ''],
    before: `${pool}os.mkdir("own")\nopen("own/there.py", "w").write("x = 7")\nsys.path.append("own")\nimport there`,
    after: 'print(there.x)',
    shown: ` | 7 | ${lost}`,
    wrong: / \| NameError: name 'there' is not defined/,
  },
  {
    name: 'a new Python has the environment',
    off: ['    os.environ.update(state["environment"])\n', ''],
    before: `${pool}os.environ["FENCED_TEST_NAME"] = "7"`,
    after: 'print(os.environ.get("FENCED_TEST_NAME"))',
    shown: ` | 7 | ${lost}`,
    wrong: ` | None | ${lost}`,
  },
  {
    name: 'a new Python is in the directory',
    off: ['        os.chdir(state["directory"][0])', '        pass'],
    before: `${pool}os.mkdir("own"); os.chdir("own")`,
    after: 'print(os.path.basename(os.getcwd()))',
    shown: ` | own | ${lost}`,
    wrong: / \| (?!own)\S+ \| /,
  },
]
