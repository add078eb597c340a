// How fast Fenced is, beside what it is built on and what others have:
//
//   pnpm bench [name …] [--peers] [--rounds N] [--json] [--svg FILE]
//
// `--peers` compares with AutoGen and AG2, in Pythons that bench/peers/*-python.sh make in the user's cache; `--autogen PYTHON`,
// `--ag2 PYTHON`, `--autogen-pods PYTHON` and `--python PYTHON` (of blocks in `warm`) name others, or only some. `--image NAME` is for
// containers and pods, `--jupyter VENV` for `jupyter`: packages/executor-jupyter/test/jupyter/make-python makes one; `kubernetes` is about
// the cluster that KUBECONFIG names, `--kubectl PROGRAM` its kubectl: bench/peers/kubectl.sh builds the one of the tests' cluster.
// stdout gets a table or JSON, `--svg FILE` a chart of what several do.
// Speed is no test: the exit code is 0 whatever the figures say, and 1 when they could not be taken.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { agentsBench } from './agents.bench.ts'
import { chart } from './chart.ts'
import { dockerBench } from './docker.bench.ts'
import { extractBench } from './extract.bench.ts'
import { javascriptBench } from './javascript.bench.ts'
import { jupyterBench } from './jupyter.bench.ts'
import { kubernetesBench } from './kubernetes.bench.ts'
import { kubernetesScaleBench } from './kubernetes-scale.bench.ts'
import { memoryBench, outputBench, outputLimitBench, spawnBench } from './local.bench.ts'
import { type Row, rowsUnlessSkipped } from './measure.ts'
import { pythonEnvBench } from './python-env.bench.ts'
import { streamBench } from './stream.bench.ts'
import { machine, table } from './table.ts'
import { warmBench } from './warm.bench.ts'
import { webBench } from './web.bench.ts'
import { wireBench } from './wire.bench.ts'

interface BenchOptions {
  /** How many times each thing is measured, instead of the bench's own number. */
  readonly rounds: number | undefined
  /** What containers are made of. */
  readonly image: string
  /** The Python of blocks on this machine. */
  readonly python: string | undefined
  /** A virtual environment that has Jupyter. */
  readonly jupyter: string | undefined
  /** A Python that has AutoGen; without it there is no comparison with AutoGen. */
  readonly autogen: string | undefined
  /** A Python that has AG2; without it there is no comparison with AG2. */
  readonly ag2: string | undefined
  /** A Python that has the AutoGen with an executor for pods. */
  readonly autogenPods: string | undefined
  /** The program that speaks to a cluster. */
  readonly kubectl: string
}

/**
 * Takes its figures.
 *
 * @throws Skipped when what it needs is not there.
 */
export type Bench = (options: BenchOptions) => Promise<readonly Row[]>

export interface Arguments extends BenchOptions {
  readonly names: readonly string[]
  readonly json: boolean
  /** Where a chart goes. */
  readonly svg: string | undefined
  /** Whether Pythons that are not named are those of our scripts, with all that is compared. */
  readonly peers: boolean
}

/** Reads the command line. Without a name it means every bench. */
export function readArguments(args: readonly string[], known: readonly string[]): Arguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string' },
      json: { type: 'boolean', default: false },
      svg: { type: 'string' },
      peers: { type: 'boolean', default: false },
      image: { type: 'string', default: 'fenced-test/python' },
      python: { type: 'string' },
      jupyter: { type: 'string' },
      autogen: { type: 'string' },
      ag2: { type: 'string' },
      'autogen-pods': { type: 'string' },
      kubectl: { type: 'string', default: 'kubectl' },
    },
    allowPositionals: true,
  })
  const unknown = positionals.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`No bench ${unknown.join(', ')}. There are ${known.join(', ')}.`)
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds)
  if (rounds !== undefined && !(Number.isSafeInteger(rounds) && rounds > 0)) {
    throw new Error(`--rounds takes a whole number from 1 on, not ${values.rounds}.`)
  }
  const { json, svg, peers, image, python, jupyter, autogen, ag2, kubectl } = values
  const autogenPods = values['autogen-pods']
  if (svg !== undefined && !existsSync(dirname(svg))) {
    throw new Error(`--svg writes into a directory that exists, and ${dirname(svg)} does not.`)
  }
  const names = positionals.length > 0 ? positionals : known
  return { names, rounds, json, svg, peers, image, python, jupyter, autogen, ag2, autogenPods, kubectl }
}

interface Pythons {
  readonly python: string | undefined
  readonly autogen: string | undefined
  readonly ag2: string | undefined
  readonly autogenPods: string | undefined
}

/** For each Python that is not named, one that has what is measured, made if it is not there yet. */
export async function withPreparedPythons<Options extends Pythons>(options: Options): Promise<Options> {
  return {
    ...options,
    autogen: options.autogen ?? (await pathFrom('peers/autogen-python.sh')),
    ag2: options.ag2 ?? (await pathFrom('peers/ag2-python.sh')),
    autogenPods: options.autogenPods ?? (await pathFrom('peers/autogen-pods-python.sh')),
    python: options.python ?? (await pathFrom('peers/data-python.sh')),
  }
}

async function pathFrom(script: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const child = execFile(join(import.meta.dirname, script), (cause, stdout) => {
    if (cause === null) resolve(stdout.trim())
    else reject(new Error(`bench/${script} made no Python. What it said is above.`, { cause }))
  })
  child.stderr?.pipe(process.stderr)
  return promise
}

const benches: ReadonlyMap<string, Bench> = new Map([
  ['warm', warmBench],
  ['stream', streamBench],
  ['docker', dockerBench],
  ['kubernetes', kubernetesBench],
  ['kubernetes-scale', kubernetesScaleBench],
  ['jupyter', jupyterBench],
  ['spawn', spawnBench],
  ['javascript', javascriptBench],
  ['output', outputBench],
  ['output-limit', outputLimitBench],
  ['extract', extractBench],
  ['memory', memoryBench],
  ['python-env', pythonEnvBench],
  ['agents', agentsBench],
  ['web', webBench],
  ['wire', wireBench],
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
