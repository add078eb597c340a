import type { Repair } from './repair.ts'

const closed = 'connections and pipes: those of earlier blocks are closed. Open them again.'
const boosting = `
import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
x = np.random.default_rng(0).random((400, 3)); y = x.sum(axis=1)
def fit(): return round(HistGradientBoostingRegressor(max_iter=10, random_state=0).fit(x, y).score(x, y), 3)`
const parallel =
  'from joblib import Parallel, delayed\nimport math\ndef roots(*n): return Parallel(n_jobs=2)(delayed(math.sqrt)(i) for i in n)'

/** What other libraries need in a copy. */
export const installed: readonly Repair[] = [
  {
    name: 'OpenMP starts new threads',
    off: ['            library.omp_pause_resource_all(OMP_PAUSE_HARD)', '            pass'],
    before: `${boosting}\nfit()`,
    after: 'print(fit() > 0.5)',
    shown: ' | True',
    // It waits for threads that are not there, or Python ends by SIGSEGV.
    wrong: /^ \| (?:timeout \| )?threads of libraries: /,
  },
  {
    name: 'joblib starts new processes',
    off: ['                pool._executor = None\n', '                pass\n'],
    before: `${parallel}\nroots(1, 4)`,
    after: 'print(roots(9))',
    shown: ` | [3.0] | running processes. ${closed}`,
    wrong: ` | timeout | running processes. ${closed}`,
  },
  {
    name: 'threads of joblib are not named, because it starts new ones',
    off: ['            if "loky" in type(thread).__module__:\n', '            if False:\n'],
    before: `${parallel}\nroots(1, 4)`,
    after: 'print(roots(9))',
    shown: ` | [3.0] | running processes. ${closed}`,
    wrong: ' | [3.0] | state-reloaded',
  },
  {
    name: 'duckdb has no threads in a copy',
    off: ['            cursor.execute("SET threads=%s"', '            str("SET threads=%s"'],
    before:
      'import duckdb\nd = duckdb.connect(); d.execute("SET threads=4"); d.execute("create table t as select range a from range(1000000)")',
    after: 'print(d.execute("select sum(a) from t").fetchone())',
    shown: ' | (499999500000,)',
    wrong: / \| \(499999500000,\) \| threads of libraries: /,
  },
  {
    name: 'duckdb has no asynchronous threads in a copy',
    off: ['                cursor.execute("SET async_threads=0")', '                pass'],
    before:
      'import duckdb\nd = duckdb.connect(); d.execute("SET threads=4"); d.execute("create table t as select range a from range(1000000)")',
    after: 'print(d.execute("select sum(a) from t").fetchone())',
    shown: ' | (499999500000,)',
    wrong: / \| \(499999500000,\) \| threads of libraries: /,
  },
  {
    name: 'duckdb has its settings back',
    off: [
      '                    cursor.execute("SET %s=%d" % (name, int(before[name])))',
      '                    pass',
    ],
    before:
      'import duckdb\nd = duckdb.connect(); d.execute("SET threads=3")\ndef threads(): return d.execute("select current_setting(\'threads\')").fetchone()[0]',
    undone: 'print(threads())',
    after: 'print(threads())',
    shown: '3 | 3',
    wrong: '1 | 1',
  },
  {
    name: 'results of duckdb can be read on',
    off: ['            cursor = connection.cursor()', '            cursor = connection'],
    before: 'import duckdb\nd = duckdb.connect(); d.execute("select range from range(3)"); d.fetchone()',
    undone: 'print(d.fetchone())',
    after: 'print(d.fetchone())',
    shown: '(1,) | (1,)',
    wrong: /No open result set \| .*No open result set/,
  },
  {
    name: 'progress bars of tqdm have a thread again',
    off: ['            monitor.tqdm_cls.monitor = None', '            pass'],
    before: 'from tqdm import tqdm\nfor _ in tqdm(range(3), file=open(os.devnull, "w")): pass',
    after: 'for _ in tqdm(range(3), file=open(os.devnull, "w")): pass\nprint(tqdm.monitor.is_alive())',
    shown: ' | True',
    wrong: ' | False',
  },
  {
    name: 'the thread of tqdm is not named, because it starts again',
    off: ['owner_of(thread) == MONITOR', 'False'],
    before: 'from tqdm import tqdm\nfor _ in tqdm(range(3), file=open(os.devnull, "w")): pass',
    after: 'print("back")',
    shown: ' | back',
    wrong: / \| back \| threads: /,
  },
]
