import { parseArgs } from 'node:util'
import type { Row } from './row.ts'

/** Takes its figures. `rounds`: how many times each thing is measured, instead of the bench's own number. */
export type Bench = (options: { readonly rounds: number | undefined }) => Promise<readonly Row[]>

export interface Arguments {
  readonly names: readonly string[]
  readonly rounds: number | undefined
  readonly json: boolean
}

/** Reads the command line. Without a name it means every bench. */
export function readArguments(args: readonly string[], known: readonly string[]): Arguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { rounds: { type: 'string' }, json: { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const unknown = positionals.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`No bench ${unknown.join(', ')}. There are ${known.join(', ')}.`)
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds)
  if (rounds !== undefined && !(Number.isSafeInteger(rounds) && rounds > 0)) {
    throw new Error(`--rounds takes a whole number from 1 on, not ${values.rounds}.`)
  }
  return { names: positionals.length > 0 ? positionals : known, rounds, json: values.json }
}
