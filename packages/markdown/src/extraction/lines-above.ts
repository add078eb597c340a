import { shortened } from '@fenced/errors/text'
import type { Fence } from './fence.ts'
import type { OpenBlock } from './open-block.ts'

/** Tags that models write instead of fences. */
const codeTag = /^<(?<slash>\/?)(?:code|end_code|execute|python|bash|sh)>$/i

/** A labeled fence that is not at the beginning of its line, as in ``Here: ```python``, or that is indented as code is. */
const lateFence = /^(?<before>[^`~]+)(?:`{3,}|~{3,})[ \t]*\w[^\s`~]*[ \t]*$/

/** The name of a Python file, as in `**app.py**`, `### src/app.py` and `` Save this as `app.py`: ``. */
const pythonFile = /(?<![\w./-])(?:\w[\w.-]*\/)*\w[\w-]*\.py(?![\w/-])/g

/** The searched part of a line, in UTF-16 code units. */
const maxSearched = 500

/** The length of a line in a sentence about it. */
const maxShown = 60

/** Follows what stands above a fence and says something about its block. */
export class LinesAbove {
  /** A sentence about a tag that nothing has closed, or about a fence that opens nothing. */
  #notOpening: string | undefined
  #line = ''

  /** Reads a line outside of all blocks. */
  read(text: string, position: number): void {
    const line = text.trim()
    if (line === '') return
    this.#line = line
    const tag = codeTag.exec(line)
    if (tag?.groups?.slash === '/') this.#notOpening = undefined
    else if (tag !== null) this.#notOpening = opensNothing(position, line, 'it is a tag')
    const { before } = lateFence.exec(text.slice(0, maxSearched))?.groups ?? {}
    if (before !== undefined) this.#notOpening = opensNothing(position, line, whyLate(before))
  }

  /** The hints for a block that opens here. */
  hintsFor({ info }: Fence): Pick<OpenBlock, 'tagAbove' | 'fileAbove'> {
    const tagAbove = info === '' ? this.#notOpening : undefined
    const fileAbove = this.#line.slice(0, maxSearched).match(pythonFile)?.at(-1)
    this.#notOpening = undefined
    this.#line = ''
    return {
      ...(tagAbove === undefined ? {} : { tagAbove }),
      ...(fileAbove === undefined ? {} : { fileAbove }),
    }
  }
}

function opensNothing(position: number, line: string, why: string): string {
  return `Line ${position}, \`\` ${shortened(line, maxShown)} \`\`, opens no block: ${why}. Begin a program with a fence and its language, at the beginning of a line.`
}

function whyLate(before: string): string {
  return before.trim() === '' ? 'its fence is indented by four columns or more' : 'text precedes its fence'
}
