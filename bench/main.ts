// How fast Fenced is, beside what it is built on and what others have:
//
//   pnpm bench [name …] [--peers] [--rounds N] [--json] [--svg FILE]
//
// `--peers` compares with AutoGen and AG2, in Pythons that bench/*-python.sh make in the user's cache; `--autogen PYTHON`,
// `--ag2 PYTHON` and `--python PYTHON` (of blocks in `warm`) name others, or only some. `--image NAME` is for containers,
// `--jupyter VENV` for `jupyter`: packages/executor-jupyter/test/jupyter/make-python makes one.
// stdout gets a table or JSON, `--svg FILE` a chart of what several do.
// Speed is no test: the exit code is 0 whatever the figures say, and 1 when they could not be taken.
import { writeFile } from 'node:fs/promises'
import { agentsBench } from './agents.bench.ts'
import { type Bench, readArguments } from './arguments.ts'
import { chart } from './chart.ts'
import { dockerBench } from './docker.bench.ts'
import { extractBench } from './extract.bench.ts'
import { javascriptBench } from './javascript.bench.ts'
import { jupyterBench } from './jupyter.bench.ts'
import { machine } from './machine.ts'
import { memoryBench } from './memory.bench.ts'
import { outputBench } from './output.bench.ts'
import { outputLimitBench } from './output-limit.bench.ts'
import { withPreparedPythons } from './prepared-pythons.ts'
import { pythonEnvBench } from './python-env.bench.ts'
import type { Row } from './row.ts'
import { rowsUnlessSkipped } from './skipped.ts'
import { spawnBench } from './spawn.bench.ts'
import { streamBench } from './stream.bench.ts'
import { table } from './table.ts'
import { warmBench } from './warm.bench.ts'
import { webBench } from './web.bench.ts'

const benches: ReadonlyMap<string, Bench> = new Map([
  ['spawn', spawnBench],
  ['warm', warmBench],
  ['stream', streamBench],
  ['javascript', javascriptBench],
  ['output', outputBench],
  ['output-limit', outputLimitBench],
  ['extract', extractBench],
  ['memory', memoryBench],
  ['docker', dockerBench],
  ['jupyter', jupyterBench],
  ['python-env', pythonEnvBench],
  ['agents', agentsBench],
  ['web', webBench],
])

try {
  const { names, json, svg, peers, ...named } = readArguments(process.argv.slice(2), [...benches.keys()])
  const options = peers ? await withPreparedPythons(named) : named
  const rows: Row[] = []
  for (const name of names) {
    // Not on stdout: that is for the figures, which may go into a file.
    console.error(`${name} ...`)
    rows.push(...(await rowsUnlessSkipped(name, async () => (await benches.get(name)?.(options)) ?? [])))
  }
  const report = { machine, rows }
  console.log(json ? JSON.stringify(report, null, 2) : table(report))
  if (svg !== undefined) await writeFile(svg, chart(report))
} catch (error) {
  console.error(error)
  process.exitCode = 1
}
