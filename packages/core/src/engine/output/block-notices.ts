import type { Notice } from '../../vocabulary/code-result.ts'

/** Limits per code for the kept notices of a block, and for their text, in UTF-16 code units. */
const mostOfCode = 100
const longestOfCode = 256 * 1024

/**
 * The notices of one block. Each code has its own limit, so that a program that causes one notice without end does not push
 * the other notices out.
 */
export class BlockNotices {
  readonly all: Notice[] = []
  readonly #ofCode = new Map<string, { count: number; length: number }>()

  /** Returns what was kept: the notice; for the first one beyond the limit a notice that says so; then `undefined`. */
  add(notice: Notice): Notice | undefined {
    const { code } = notice
    const before = this.#ofCode.get(code) ?? { count: 0, length: 0 }
    if (before.count > mostOfCode) return undefined
    const length = before.length + lengthOfNotice(notice)
    const isFull = before.count === mostOfCode || length > longestOfCode
    this.#ofCode.set(code, { count: isFull ? mostOfCode + 1 : before.count + 1, length })
    const kept = isFull ? leftOut(code) : notice
    this.all.push(kept)
    return kept
  }
}

/** Returns the length of a notice's text, in UTF-16 code units. */
export function lengthOfNotice({ message, data = {} }: Notice): number {
  return Object.values(data).reduce((sum, value) => sum + value.length, message.length)
}

function leftOut(code: string): Notice {
  return {
    code: 'notices-left-out',
    message: `The block had more \`${code}\` notices than Fenced keeps (${mostOfCode}, ${longestOfCode / 1024} KiB of text). The later ones were left out.`,
    data: { code, limit: `${mostOfCode}`, limitBytes: `${longestOfCode}` },
  }
}
