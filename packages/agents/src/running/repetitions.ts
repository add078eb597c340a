import { createHash } from 'node:crypto'
import type { CodeBlock, CodeResult, Notice } from '@fenced/core'
import { codeHash } from '@fenced/core/internal'

/** How often in a row a program succeeds with the same output before its writer reads that, and before the run ends. */
const noticed = 3
const most = 5

export interface Repetition {
  /** For people and the model; absent for what is not repeated, or not often. */
  readonly notice?: Notice
  readonly ending?: string
}

/** Notices a program that succeeds again and again with the same output. */
export class Repetitions {
  #last = ''
  #count = 0

  /** Counts the end of a run. Another program, another output or a failure begins anew. */
  add(blocks: readonly CodeBlock[], result: Pick<CodeResult, 'exitCode' | 'output' | 'blocks'>): Repetition {
    const run = result.exitCode === 0 ? hashOf(blocks, result) : ''
    this.#count = run !== '' && run === this.#last ? this.#count + 1 : 1
    this.#last = run
    if (run === '' || this.#count < noticed) return {}
    const message = `This program has run ${this.#count} times in a row with the same output. Use the output, or change the program.`
    const notice = { code: 'program-repeated', message, data: { count: `${this.#count}` } }
    if (this.#count < most) return { notice }
    return { notice, ending: `The same program ran ${this.#count} times in a row with the same output.` }
  }

  clear(): void {
    this.#last = ''
    this.#count = 0
  }
}

function hashOf(blocks: readonly CodeBlock[], result: Pick<CodeResult, 'output' | 'blocks'>): string {
  const shown = JSON.stringify(result.blocks.map(({ results }) => results))
  return createHash('sha256')
    .update(`${codeHash(blocks)} ${shown} ${result.output}`)
    .digest('hex')
}
