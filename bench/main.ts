// How fast Fenced is, beside what it is built on and what others have: `pnpm bench [name …] [--rounds N] [--json]`,
// for `docker` also `[--image NAME] [--autogen PYTHON]`, for `jupyter` `--jupyter VENV [--autogen PYTHON]`, for `python-env`
// `[--ag2 PYTHON]`, and for `agents` `[--ag2 PYTHON] [--autogen PYTHON]`.
// `warm` takes `[--python PYTHON]`, and measures imports where that has numpy, pandas and matplotlib.
// packages/executor-jupyter/test/jupyter/make-python makes such an environment, bench/autogen-python.sh and
// bench/ag2-python.sh such Pythons.
// Speed is no test: the exit code is 0 whatever the figures say, and 1 when they could not be taken.
import { agentsBench } from './agents.bench.ts'
import { type Bench, readArguments } from './arguments.ts'
import { dockerBench } from './docker.bench.ts'
import { extractBench } from './extract.bench.ts'
import { jupyterBench } from './jupyter.bench.ts'
import { machine } from './machine.ts'
import { memoryBench } from './memory.bench.ts'
import { outputBench } from './output.bench.ts'
import { pythonEnvBench } from './python-env.bench.ts'
import type { Row } from './row.ts'
import { Skipped } from './skipped.ts'
import { spawnBench } from './spawn.bench.ts'
import { table } from './table.ts'
import { warmBench } from './warm.bench.ts'

const benches: ReadonlyMap<string, Bench> = new Map([
  ['spawn', spawnBench],
  ['warm', warmBench],
  ['output', outputBench],
  ['extract', extractBench],
  ['memory', memoryBench],
  ['docker', dockerBench],
  ['jupyter', jupyterBench],
  ['python-env', pythonEnvBench],
  ['agents', agentsBench],
])

try {
  const { names, json, ...options } = readArguments(process.argv.slice(2), [...benches.keys()])
  const rows: Row[] = []
  for (const name of names) {
    // Not on stdout: that is for the figures, which may go into a file.
    console.error(`${name} ...`)
    try {
      rows.push(...((await benches.get(name)?.(options)) ?? []))
    } catch (error) {
      if (!(error instanceof Skipped)) throw error
      console.error(`${name} is skipped: ${error.message}`)
    }
  }
  console.log(json ? JSON.stringify({ machine, rows }, null, 2) : table(rows))
} catch (error) {
  console.error(error)
  process.exitCode = 1
}
