import type { CodeBlock, CodeResult } from '@fenced/core'
import { codeHash } from '@fenced/core/internal'

export interface Failure {
  readonly codeHash: string
  /** How it failed, without what differs from one run to the next; empty when it did not say. */
  readonly error: string
}

export function failureOf(
  blocks: readonly CodeBlock[],
  {
    output,
    status,
    blocks: ran,
  }: Pick<CodeResult, 'output' | 'status'> & Partial<Pick<CodeResult, 'blocks'>>,
): Failure {
  const { error: raised } = ran?.at(-1) ?? {}
  const error =
    raised === undefined ? normalized(lastWords(output)) : normalized(`${raised.name}: ${raised.message}`)
  return { codeHash: codeHash(blocks), error: error === '' ? '' : `${status}: ${error}` }
}

/** Whether a program, or the way in which it failed, is the one before. */
export function isRepeated({ codeHash: hash, error }: Failure, before: Failure | undefined): boolean {
  return before !== undefined && (hash === before.codeHash || (error !== '' && error === before.error))
}

/** The failures of one answer: notices what comes again, also in turn with others. */
export class FailureHistory {
  readonly #programs = new Set<string>()
  #last: Failure | undefined
  #repetitions = 0

  /** Returns how many failures in a row were repetitions, this one included. */
  add(failure: Failure): number {
    const isKnown = isRepeated(failure, this.#last) || this.#programs.has(failure.codeHash)
    this.#repetitions = isKnown ? this.#repetitions + 1 : 0
    this.#programs.add(failure.codeHash)
    this.#last = failure
    return this.#repetitions
  }
}

/** The last line that says what went wrong. */
function lastWords(output: string): string {
  const lines = output.slice(-16_384).trimEnd().split(/\r?\n/)
  return lines.findLast(saysSomething) ?? lines.findLast((line) => line.trim() !== '') ?? ''
}

/** Without numbers, addresses, directories and made-up file names. */
function normalized(error: string): string {
  return error
    .trim()
    .replace(/0x[\da-f]+/gi, '#')
    .replace(/(?:[A-Za-z]:)?[\\/](?:[^\s\\/'":]+[\\/])+/g, '')
    .replace(/\.fenced-[\da-f]+/g, '')
    .replace(/\d+/g, '#')
}

/** Skips indented lines, which give the location of an error, and Node.js's version at the end. */
function saysSomething(line: string): boolean {
  return /^(?=\S).*\p{Letter}/u.test(line) && !/^Node\.js v\d/.test(line)
}
