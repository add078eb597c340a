import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchOptions } from './arguments.ts'
import { imageProblem } from './docker-command.ts'

/** Something that not every machine has, and without which a bench or a part of it is left out. */
interface NeedRow {
  /** What is left out of a bench that can do without. */
  readonly part: string
  /** Why it is missing; `undefined` where it is there. */
  problem(options: BenchOptions): Promise<string | undefined> | string | undefined
  /** How it becomes available. */
  readonly repair: string
  /** The option that names a Python, and the script that makes one for `--peers`. */
  readonly made?: readonly [option: 'autogen' | 'ag2' | 'autogenPods' | 'python' | 'jupyter', script: string]
}

const withPeers = 'Add --peers, which makes it in the cache.'

const needs = {
  autogen: {
    part: 'the comparison with AutoGen',
    problem: ({ autogen }) => missingPython(autogen, 'AutoGen'),
    repair: withPeers,
    made: ['autogen', 'peers/autogen-python.sh'],
  },
  ag2: {
    part: 'the comparison with AG2',
    problem: ({ ag2 }) => missingPython(ag2, 'AG2'),
    repair: withPeers,
    made: ['ag2', 'peers/ag2-python.sh'],
  },
  autogenPods: {
    part: 'the comparison with AutoGen 0.2',
    problem: ({ autogenPods }) => missingPython(autogenPods, 'AutoGen 0.2'),
    repair: withPeers,
    made: ['autogenPods', 'peers/autogen-pods-python.sh'],
  },
  data: {
    part: 'programs with numpy, pandas and matplotlib',
    problem: ({ python = 'python3' }) => problemOfPython(python, 'numpy, pandas, matplotlib'),
    repair: 'Add --peers, or --python with a Python that has them.',
    made: ['python', 'peers/data-python.sh'],
  },
  jupyter: {
    part: 'kernels',
    problem: ({ jupyter }) => missingPython(jupyter && join(jupyter, 'bin/python'), 'Jupyter'),
    repair: withPeers,
    made: ['jupyter', '../packages/executor-jupyter/test/jupyter/make-python'],
  },
  image: {
    part: 'containers',
    problem: ({ image }) => imageProblem(image),
    repair:
      'Run: eval "$(packages/executor-docker/test/engines/engines start docker)". Or name an image of your engine with --image.',
  },
  bubblewrap: {
    part: 'bubblewrap',
    problem: () => missingProgram('bwrap'),
    repair: 'Install it (Debian, Ubuntu, Fedora: the package bubblewrap).',
  },
  cluster: {
    part: 'pods',
    problem: ({ kubectl }) =>
      process.env.KUBECONFIG === undefined ? 'KUBECONFIG names no cluster.' : missingProgram(kubectl),
    repair:
      'Set KUBECONFIG, and name a kubectl of its version: --kubectl "$(bench/peers/kubectl.sh)" builds one.',
  },
  namespaces: {
    part: 'many pods',
    problem: () =>
      process.platform === 'linux' && process.getuid?.() === 0
        ? undefined
        : 'Its simulated pods are namespaces of this machine.',
    repair: 'Run it as root on Linux.',
  },
  chromium: {
    part: 'the page',
    problem: () => missingProgram('chromium', 'chromium-browser', 'google-chrome'),
    repair: 'Install chromium.',
  },
} as const satisfies Readonly<Record<string, NeedRow>>

type Need = keyof typeof needs

const rows = Object.entries(needs) as [Need, NeedRow][]

/** What a bench needs as a whole, and what parts of it need. */
export interface Needing {
  readonly requires?: readonly Need[]
  readonly uses?: readonly Need[]
}

/** What is left out on this machine. */
export interface Plan {
  /** Names of the benches that can run. */
  readonly names: readonly string[]
  /** One line for each thing that is missing: for whom, why, and what to do. */
  readonly lines: readonly string[]
}

/** Finds out what of the benches has to be left out. */
export async function planBenches(
  benches: ReadonlyMap<string, Needing>,
  options: BenchOptions,
): Promise<Plan> {
  const missing = new Map<Need, string>()
  for (const [need, row] of rows) {
    if (!isNeeded(benches, need)) continue
    const problem = await row.problem(options)
    if (problem !== undefined) missing.set(need, problem)
  }
  const isComplete = ([, { requires = [] }]: readonly [string, Needing]) =>
    !requires.some((need) => missing.has(need))
  const left = new Map([...benches].filter(isComplete))
  const lines = [...missing].flatMap(([need, problem]) => {
    const [skipped, using] = [namesWith(benches, 'requires', need), namesWith(left, 'uses', need)]
    const what = [
      ...(skipped.length === 0 ? [] : [`Skipped: ${skipped.join(', ')}.`]),
      ...(using.length === 0 ? [] : [`Left out of ${using.join(', ')}: ${needs[need].part}.`]),
    ]
    return what.length === 0 ? [] : [[...what, problem, needs[need].repair].join(' ')]
  })
  return { names: [...left.keys()], lines }
}

function isNeeded(benches: ReadonlyMap<string, Needing>, need: Need): boolean {
  return (['requires', 'uses'] as const).some((kind) => namesWith(benches, kind, need).length > 0)
}

function namesWith(benches: ReadonlyMap<string, Needing>, kind: keyof Needing, need: Need): string[] {
  return [...benches].flatMap(([name, bench]) => (bench[kind]?.includes(need) === true ? [name] : []))
}

/** Creates the Pythons that these benches need and no option sets. Failures are skipped. */
export async function makePythons<Options extends BenchOptions>(
  benches: ReadonlyMap<string, Needing>,
  options: Options,
): Promise<Options> {
  const made: Partial<Record<string, string>> = {}
  for (const [need, row] of rows) {
    if (row.made === undefined || !isNeeded(benches, need)) continue
    const [option, script] = row.made
    if (options[option] === undefined) made[option] = await pathFrom(script)
  }
  return { ...options, ...made }
}

/** What a script prints; `undefined` where it fails. */
function pathFrom(script: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const child = execFile(join(import.meta.dirname, script), (error, stdout) => {
    if (error !== null) console.error(`bench/${script} failed. Its output is above.`)
    resolve(error === null ? stdout.trim() : undefined)
  })
  child.stderr?.pipe(process.stderr)
  return promise
}

function missingPython(python: string | undefined, what: string): string | undefined {
  if (python === undefined) return `No Python with ${what} is named.`
  return existsSync(python) ? undefined : `${python} does not exist.`
}

function problemOfPython(python: string, modules: string): string | undefined {
  const { status } = spawnSync(python, ['-c', `import ${modules}`], { stdio: 'ignore' })
  return status === 0 ? undefined : `${python} lacks one of ${modules}.`
}

function missingProgram(...names: readonly string[]): string | undefined {
  const isThere = (name: string) => spawnSync('which', [name], { stdio: 'ignore' }).status === 0
  return names.some(isThere) ? undefined : `No program ${names.join(' or ')} is on the PATH.`
}
