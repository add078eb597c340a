import type { Fence } from './fence.ts'
import type { OpenBlock } from './open-block.ts'

/** Tags that models write instead of fences. */
const codeTag = /^<(?<slash>\/?)(?:code|end_code|execute|python|bash|sh)>$/i

/** The name of a Python file, as in `**app.py**`, `### src/app.py` and `` Save this as `app.py`: ``. */
const pythonFile = /(?<![\w./-])(?:\w[\w.-]*\/)*\w[\w-]*\.py(?![\w/-])/g

/** The searched part of a line, in UTF-16 code units. */
const maxSearched = 500

/** Follows what stands above a fence and says something about its block. */
export class LinesAbove {
  /** A sentence about a tag that nothing has closed. */
  #tag: string | undefined
  #line = ''

  /** Reads a line outside of all blocks. */
  read(text: string, position: number): void {
    const line = text.trim()
    if (line === '') return
    this.#line = line
    const tag = codeTag.exec(line)
    if (tag !== null)
      this.#tag =
        tag.groups?.slash === '/'
          ? undefined
          : `Line ${position}, \`\` ${line} \`\`, opens no block: it is a tag. Begin a program with a fence and its language.`
  }

  /** The hints for a block that opens here. */
  hintsFor({ info }: Fence): Pick<OpenBlock, 'tagAbove' | 'fileAbove'> {
    const tagAbove = info === '' ? this.#tag : undefined
    const fileAbove = this.#line.slice(0, maxSearched).match(pythonFile)?.at(-1)
    this.#tag = undefined
    this.#line = ''
    return {
      ...(tagAbove === undefined ? {} : { tagAbove }),
      ...(fileAbove === undefined ? {} : { fileAbove }),
    }
  }
}
