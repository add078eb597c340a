import { createHash } from 'node:crypto'
import type { CodeBlock, CodeResult, Notice } from '@fenced/core'
import { codeHash } from '@fenced/core/internal'
import { failureOf } from './failure.ts'

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
}

function hashOf(blocks: readonly CodeBlock[], result: Pick<CodeResult, 'output' | 'blocks'>): string {
  const shown = JSON.stringify(result.blocks.map(({ results }) => results))
  return createHash('sha256')
    .update(`${codeHash(blocks)} ${shown} ${result.output}`)
    .digest('hex')
}
