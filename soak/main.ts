// Whether Fenced stays as it promises under much of everything:
//
//   pnpm soak [name …] [--rounds N | --short] [--executor NAME …] [--seed N] [--json]
//
// `--rounds` is the number of blocks of each executor, of cancels in all, of documents in all, and how often each flood and
// each kill is tried. `--short` takes about a minute. It leaves out programs
// compared cold and warm; network lists, host tools, approval and replay run only in `blocks`. `--seed` makes the same random choices once more.
// `--image NAME` is for containers, `--jupyter VENV` (else FENCED_TEST_JUPYTER) for kernels.
// stdout gets a table of each soak, or JSON. The exit code is 1 when a row is not as promised, or could not be finished.
import { readArguments } from './arguments.ts'
import { blocksSoak } from './blocks.soak.ts'
import { cancelsSoak } from './cancels.soak.ts'
import { documentsSoak } from './documents.soak.ts'
import { floodsSoak } from './floods.soak.ts'
import { killsSoak } from './kills.soak.ts'
import type { Row, Soak } from './row.ts'
import { startsSoak } from './starts.soak.ts'
import { table } from './table.ts'

const soaks: ReadonlyMap<string, Soak> = new Map([
  ['blocks', blocksSoak],
  ['cancels', cancelsSoak],
  ['documents', documentsSoak],
  ['floods', floodsSoak],
  ['kills', killsSoak],
  ['starts', startsSoak],
])

try {
  const { names, json, ...options } = readArguments(process.argv.slice(2), [...soaks.keys()])
  console.error(`--seed ${options.seed}`)
  const all: Row[] = []
  for (const name of names) {
    const rows: Row[] = []
    for await (const row of soaks.get(name)?.(options) ?? []) {
      // Not on stdout: that is for the table, which may go into a file.
      console.error(`${name}: ${row.tried}${row.asPromised === false ? ': NOT AS PROMISED' : ''}`)
      rows.push(row)
    }
    if (!json) console.log(`${table(rows)}\n`)
    all.push(...rows)
  }
  if (json) console.log(JSON.stringify({ seed: options.seed, rows: all }, null, 2))
  if (all.some(({ asPromised }) => asPromised === false)) process.exitCode = 1
} catch (error) {
  console.error(error)
  process.exitCode = 1
}
