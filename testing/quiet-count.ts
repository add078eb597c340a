import { readdirSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

/** How often a count is taken, in milliseconds. */
const everyMs = 100
/** Time limit for a count that keeps changing, in milliseconds. */
const longestMs = 60_000

/**
 * Takes a count until it has stayed the same for a while, such as the open descriptors of this process: programs and timers that
 * have ended close their handles a moment later. Count in a process that does nothing else.
 *
 * @param count - returns the count, or an object of counts.
 * @param quietMs - how long the count must stay the same, in milliseconds.
 * @returns the last count, after 60 seconds at most.
 */
export async function quietCount<Count>(count: () => Count, quietMs = 1_000): Promise<Count> {
  const giveUpAt = performance.now() + longestMs
  let found = count()
  let since = performance.now()
  while (performance.now() - since < quietMs && performance.now() < giveUpAt) {
    await sleep(everyMs)
    const now = count()
    if (!isDeepStrictEqual(now, found)) since = performance.now()
    found = now
  }
  return found
}

/**
 * Returns the open descriptors of this process, each with its path. Pipes that wait for a later program are left out: both of their
 * ends are open here. Empty where the system has no `/proc`.
 */
export function openDescriptors(): ReadonlyMap<number, string> {
  const open = new Map(descriptors())
  const count = (path: string) => [...open.values()].filter((other) => other === path).length
  return new Map([...open].filter(([, path]) => !path.includes('/fenced-pipes-') || count(path) === 1))
}

function descriptors(): [number, string][] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc/self/fd').flatMap((number) => {
    try {
      return [[Number(number), readlinkSync(`/proc/self/fd/${number}`)]]
    } catch {
      // The descriptor of this listing is closed by now.
      return []
    }
  })
}
