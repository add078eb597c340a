import { parseArgs } from 'node:util'
import { subjects } from './executors.ts'
import type { SoakOptions } from './row.ts'

export interface Arguments extends SoakOptions {
  readonly names: readonly string[]
  readonly json: boolean
}

/** Reads the command line. Without a name it means every soak. */
export function readArguments(args: readonly string[], known: readonly string[]): Arguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string' },
      short: { type: 'boolean', default: false },
      seed: { type: 'string' },
      json: { type: 'boolean', default: false },
      executor: { type: 'string', multiple: true, default: [] },
      image: { type: 'string', default: 'fenced-test/python' },
      jupyter: { type: 'string' },
    },
    allowPositionals: true,
  })
  check('soak', positionals, known)
  check(
    'executor',
    values.executor,
    subjects.map(({ name }) => name),
  )
  const { short, json, executor: executors, image, jupyter = process.env.FENCED_TEST_JUPYTER } = values
  const rounds = values.rounds === undefined ? undefined : wholeNumber('rounds', values.rounds)
  const seed = values.seed === undefined ? Date.now() % 2 ** 31 : wholeNumber('seed', values.seed)
  const names = positionals.length > 0 ? positionals : known
  return { names, rounds, short, seed, json, executors, setup: { image, jupyter } }
}

function check(what: string, names: readonly string[], known: readonly string[]): void {
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`No ${what} ${unknown.join(', ')}. There are ${known.join(', ')}.`)
}

function wholeNumber(option: string, text: string): number {
  const number = Number(text)
  if (!(Number.isSafeInteger(number) && number > 0)) {
    throw new Error(`--${option} takes a whole number from 1 on, not ${text}.`)
  }
  return number
}
