import { structuredPatch } from 'diff'

/** Lines that were added, removed or kept, with their signs. */
export interface Hunk {
  readonly start: number
  readonly lines: readonly string[]
}

/** A program must be this long, and this much of it the same, for its changes to say more than the whole. */
const fewestLines = 8
const mostLines = 2_000
const largestShare = 0.4

/** The changes between two versions, with three lines around each. */
export function hunksOf(before: string, after: string): Hunk[] {
  const { hunks } = structuredPatch('', '', ended(before), ended(after), '', '', { context: 3 })
  return hunks.map(({ oldStart, lines }) => ({ start: oldStart, lines }))
}

/** The changes of a repaired program; `undefined` where the whole program says more. */
export function repairOf(before: string, after: string): Hunk[] | undefined {
  const length = after.split('\n').length
  if (before === after || length < fewestLines || Math.max(length, before.split('\n').length) > mostLines)
    return undefined
  const hunks = hunksOf(before, after)
  const changed = hunks.flatMap(({ lines }) => lines).filter((line) => !line.startsWith(' ')).length
  return changed > length * largestShare ? undefined : hunks
}

function ended(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}
