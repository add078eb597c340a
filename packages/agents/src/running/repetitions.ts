import { createHash } from 'node:crypto'
import type { CodeBlock, CodeResult, Notice } from '@fenced/core'
import { codeHash } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'

/** How often in a row a program succeeds with the same output before its writer reads that, and before the run ends. */
const noticed = 3
const most = 5

/** How often the same program may fail in the same way, without a success in between, before the run ends. */
const mostFailures = 3

export interface Repetition {
  /** For people and the model; absent for what is not repeated, or not often. */
  readonly notice?: Notice
  readonly ending?: string
}

export const savedRepetitionsSchema = z.lazy(() =>
  z.strictObject({
    last: z.string(),
    count: z.int().min(0),
    failures: z.array(z.strictObject({ failure: z.string(), count: z.int().min(1) })),
  }),
)

type SavedRepetitions = z.output<typeof savedRepetitionsSchema>

/** Notices a program that succeeds again and again with the same output, or fails again and again in the same way. */
export class Repetitions {
  #last = ''
  #count = 0
  /** How often each program has failed in the same way since the last success. */
  readonly #failures = new Map<string, number>()

  /** Counts the end of a run. */
  add(blocks: readonly CodeBlock[], result: CodeResult): Repetition {
    return result.exitCode === 0 ? this.#addSuccess(blocks, result) : this.#addFailure(blocks, result)
  }

  #addFailure(blocks: readonly CodeBlock[], result: CodeResult): Repetition {
    this.#last = ''
    const failure = JSON.stringify(failureOf(blocks, result))
    const count = (this.#failures.get(failure) ?? 0) + 1
    this.#failures.set(failure, count)
    if (count < mostFailures) return {}
    const ending = `The same program failed in the same way ${count} times, without a success in between.`
    return { ending }
  }

  /** Another program, another output or a failure begins anew. */
  #addSuccess(blocks: readonly CodeBlock[], result: CodeResult): Repetition {
    this.#failures.clear()
    const run = hashOf(blocks, result)
    this.#count = run === this.#last ? this.#count + 1 : 1
    this.#last = run
    if (this.#count < noticed) return {}
    const message = `This program has run ${this.#count} times in a row with the same output. Use the output, or change the program.`
    const notice = { code: 'program-repeated', message, data: { count: `${this.#count}` } }
    if (this.#count < most) return { notice }
    return { notice, ending: `The same program ran ${this.#count} times in a row with the same output.` }
  }

  clear(): void {
    this.#last = ''
    this.#failures.clear()
  }

  /** Returns the counts as plain data. */
  save(): SavedRepetitions {
    const failures = [...this.#failures].map(([failure, count]) => ({ failure, count }))
    return { last: this.#last, count: this.#count, failures }
  }

  load({ last, count, failures }: SavedRepetitions): void {
    this.#last = last
    this.#count = count
    this.#failures.clear()
    for (const one of failures) this.#failures.set(one.failure, one.count)
  }
}

function hashOf(blocks: readonly CodeBlock[], result: Pick<CodeResult, 'output' | 'blocks'>): string {
  const shown = JSON.stringify(result.blocks.map(({ results }) => results))
  return createHash('sha256')
    .update(`${codeHash(blocks)} ${shown} ${result.output}`)
    .digest('hex')
}

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
