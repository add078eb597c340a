import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** The options of one bench. */
export interface BenchOptions {
  /** How many times each thing is measured, instead of the bench's own number. */
  readonly rounds: number | undefined
  /** Image of containers and pods. */
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

export interface Arguments extends BenchOptions {
  readonly names: readonly string[]
  readonly help: boolean
  readonly json: boolean
  /** Where a chart goes. */
  readonly svg: string | undefined
  /** Whether Pythons that are not named are those of our scripts, with all that is compared. */
  readonly peers: boolean
  /** Whether the tables of `docs/performance.md` are replaced. */
  readonly write: boolean
  /** Whether the whole run takes two minutes at most. */
  readonly quick: boolean
}

const options = {
  help: { type: 'boolean', default: false },
  rounds: { type: 'string' },
  quick: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  svg: { type: 'string' },
  peers: { type: 'boolean', default: false },
  image: { type: 'string', default: 'fenced-test/python' },
  python: { type: 'string' },
  jupyter: { type: 'string' },
  autogen: { type: 'string' },
  ag2: { type: 'string' },
  'autogen-pods': { type: 'string' },
  kubectl: { type: 'string', default: 'kubectl' },
} as const satisfies ParseArgsOptionsConfig

/** How the command is called; the list of benches follows. */
export const usage = `pnpm bench [name ...] [options]

Compares Fenced with the libraries and programs that it uses, and prints a table for each bench.
The exit code says whether everything could be measured, never how fast it was.

  --quick              two minutes for all of it: few rounds, for a first look
  --peers              compares with AutoGen and AG2, and makes every Python that is missing, in the user's cache
  --rounds N           measures each thing N times
  --json               prints one JSON document at the end
  --write              replaces the tables of docs/performance.md
  --svg FILE           draws a chart of the rows that compare several
  --image NAME         image of containers and pods (default: ${options.image.default})
  --python PYTHON      Python of blocks on this machine
  --jupyter VENV       virtual environment that has Jupyter
  --autogen PYTHON     Python that has AutoGen; --ag2 and --autogen-pods alike
  --kubectl PROGRAM    kubectl for the cluster of KUBECONFIG (default: kubectl)

Benches (all of them without a name):
`

/** Reads the command line. Without a name it means every bench. */
export function readArguments(args: readonly string[], known: readonly string[]): Arguments {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
  const unknown = positionals.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`No bench ${unknown.join(', ')}. There are ${known.join(', ')}.`)
  const { 'autogen-pods': autogenPods, rounds: roundsText, ...others } = values
  const rounds = roundsText === undefined ? undefined : Number(roundsText)
  if (rounds !== undefined && !(Number.isSafeInteger(rounds) && rounds > 0)) {
    throw new Error(`--rounds takes a whole number from 1 on, not ${roundsText}.`)
  }
  if (others.svg !== undefined && !existsSync(dirname(others.svg))) {
    throw new Error(`--svg writes into a directory that exists, and ${dirname(others.svg)} does not.`)
  }
  const { python, jupyter, autogen, ag2, svg } = others
  const names = positionals.length > 0 ? positionals : known
  return { ...others, python, jupyter, autogen, ag2, svg, autogenPods, rounds, names }
}
