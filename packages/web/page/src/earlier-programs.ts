import type { BlockView } from './run-view.ts'

/** How many first lines of two versions of a program are the same. */
const sameLines = 2
const mostCompared = 200

/** The programs of a conversation, to find the one that a later program repairs. */
export class EarlierPrograms {
  readonly #all: BlockView[] = []

  #count = 0

  /** Numbers the programs, and keeps the newest. */
  add(blocks: readonly BlockView[]): void {
    for (const block of blocks) block.number = ++this.#count
    this.#all.push(...blocks)
    this.#all.splice(0, Math.max(0, this.#all.length - mostCompared))
  }

  /**
   * The newest program that has run, with the same language and first lines. A person has seen it: of a program that was denied,
   * the changes would say nothing.
   */
  before({ block: { language, code } }: BlockView): BlockView | undefined {
    const start = startOf(code)
    return this.#all.findLast(
      ({ block, startedAt }) =>
        startedAt !== undefined && block.language === language && startOf(block.code) === start,
    )
  }
}

function startOf(code: string): string {
  return code.split('\n', sameLines).join('\n')
}
