import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import type { Row } from './row.ts'

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
    },
    allowPositionals: true,
  })
  const unknown = positionals.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`No bench ${unknown.join(', ')}. There are ${known.join(', ')}.`)
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds)
  if (rounds !== undefined && !(Number.isSafeInteger(rounds) && rounds > 0)) {
    throw new Error(`--rounds takes a whole number from 1 on, not ${values.rounds}.`)
  }
  const { json, svg, peers, image, python, jupyter, autogen, ag2 } = values
  if (svg !== undefined && !existsSync(dirname(svg))) {
    throw new Error(`--svg writes into a directory that exists, and ${dirname(svg)} does not.`)
  }
  const names = positionals.length > 0 ? positionals : known
  return { names, rounds, json, svg, peers, image, python, jupyter, autogen, ag2 }
}
