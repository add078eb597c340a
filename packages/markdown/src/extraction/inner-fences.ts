import type { CodeBlock } from '../code-block.ts'
import { trimUnseen } from '../unseen.ts'
import type { Fence } from './fence.ts'
import type { MultilineLiterals } from './multiline-literals.ts'

/** For a document with a fence in it that is as long as its own. */
export const uncertainEnd = 'A fence in it is as long as its own, so its end is not certain.'

/** A language, perhaps with attributes: not the words after a closing fence. */
const label = /^\s*\{?[\w#+.-]+\}?(?:\s+\S+=.*)?\s*$/

/**
 * Follows the labeled fences in a Markdown document whose own fence is not longer. By the book, the first closing fence
 * ends the document in the middle of such an inner block.
 */
export class InnerFences implements MultilineLiterals {
  readonly #fence: Fence
  #innerLength = 0
  #hasInner = false

  constructor(fence: Fence) {
    this.#fence = fence
  }

  get open(): boolean {
    return this.#innerLength > 0
  }

  /** Whether the document has an inner block, so that its own end is not certain. */
  get hasInner(): boolean {
    return this.#hasInner
  }

  next(line: string): void {
    const [, run = '', behind = ''] = /^ {0,3}(`{3,}|~{3,})([^`]*)$/.exec(line) ?? []
    const { marker, length } = this.#fence
    if (!run.startsWith(marker)) return
    if (this.open) {
      if (trimUnseen(behind) === '' && run.length >= this.#innerLength) this.#innerLength = 0
    } else if (label.test(behind) && run.length >= length) {
      this.#innerLength = run.length
      this.#hasInner = true
    }
  }
}

/**
 * A Markdown document that has ended by the book. Where text stands directly below its closing fence and the next fence has
 * no label, the first of these fences may have been the beginning of a block inside the document.
 */
export class HeldDocument {
  readonly #document: CodeBlock
  #isFirstLine = true

  constructor(document: CodeBlock) {
    this.#document = document
  }

  /** Reads a line below the document, and the fence that it opens. */
  isDecided(line: string, fence: Fence | undefined): boolean {
    const isEnd = this.#isFirstLine && (line.trim() === '' || fence !== undefined)
    this.#isFirstLine = false
    if (isEnd) return true
    if (fence?.info === '') this.#document.almostClosed = uncertainEnd
    return fence !== undefined
  }
}
