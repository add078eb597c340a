import type { Member } from './member.ts'
import type { Poolable } from './pool-options.ts'

/** Sandboxes that callers will get soon, without further action. */
export interface ExpectedSandboxes {
  /** How many there will be. */
  readonly count: number
  /** How many each user has that are being stopped. */
  readonly leaving: ReadonlyMap<string | undefined, number>
}

/** @param starts - the number of members that start for the next callers. */
export function expectedSandboxes<Kept extends Poolable>(
  members: Iterable<Member<Kept>>,
  starts: number,
): ExpectedSandboxes {
  const leaving = new Map<string | undefined, number>()
  let count = starts
  for (const { user, isOver, isStuck } of members) {
    if (!isOver || isStuck) continue
    count++
    leaving.set(user, (leaving.get(user) ?? 0) + 1)
  }
  return { count, leaving }
}
