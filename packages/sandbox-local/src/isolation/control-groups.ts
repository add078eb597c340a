import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorMessage, formatOwner, isOwnerGone, parseOwner, thisOwner } from '@fenced/core/internal'
import { findHierarchy, type Hierarchy } from './cgroup-hierarchy.ts'
import { limitedShell } from './limited-shell.ts'
import type { Limiter, Limits } from './limiter.ts'

/** How long the last processes of a group may take to end, in milliseconds. */
const endGraceMs = 2_000

/** The kernel bounds whole pages, and none are larger. */
const pageBytes = 65_536

let made = 0

/** Control groups of our own, one in each hierarchy that has a controller which is needed. */
export class ControlGroups implements Limiter {
  readonly limits: Limits
  readonly #directories: readonly string[]
  /** Where the kernel counts whom it killed; empty when memory is not bounded. */
  readonly #events: string

  /** The answer is why there are none where this process can make none. */
  static make(limits: Limits): ControlGroups | string {
    const name = `fenced-${formatOwner(thisOwner())}-${made++}`
    const directories: string[] = []
    let events = ''
    try {
      if (limits.memoryBytes !== undefined) {
        const { parent, version } = findHierarchy('memory')
        const directory = makeGroup(parent, name, directories)
        setMemory(directory, version, `${wholePages(limits.memoryBytes)}`)
        events = join(directory, version === 2 ? 'memory.events' : 'memory.oom_control')
      }
      if (limits.pids !== undefined) {
        const directory = makeGroup(findHierarchy('pids').parent, name, directories)
        writeFileSync(join(directory, 'pids.max'), `${limits.pids}`)
      }
    } catch (error) {
      for (const directory of directories) remove(directory)
      return `${errorMessage(error)}.`
    }
    return new ControlGroups(directories, events, heldLimits(limits))
  }

  private constructor(directories: readonly string[], events: string, limits: Limits) {
    this.limits = limits
    this.#directories = directories
    this.#events = events
  }

  wrap(command: readonly string[]): readonly [string, ...string[]] {
    const files = this.#directories.map((directory) => join(directory, 'cgroup.procs'))
    return [...limitedShell(enter), this.#events, `${files.length}`, ...files, ...command]
  }

  countKills(): number | undefined {
    return this.#events === '' ? 0 : countKillsIn(this.#events)
  }

  async end(): Promise<void> {
    const giveUpAt = performance.now() + endGraceMs
    for (const directory of this.#directories) {
      // What is left the next start removes.
      while (!remove(directory) && performance.now() < giveUpAt) await sleep(10)
    }
  }
}

/** To write a 0 is to move the writer. */
const enter = `events=$1 count=$2
shift 2
while [ "$count" -gt 0 ]; do
  echo 0 > "$1" || exit 125
  shift
  count=$((count - 1))
done`

/** Adds it to `directories`, in which it is already when two controllers share a hierarchy. */
function makeGroup(parent: string, name: string, directories: string[]): string {
  const directory = join(parent, name)
  if (directories.includes(directory)) return directory
  removeLeftovers(parent)
  mkdirSync(directory)
  directories.push(directory)
  return directory
}

function setMemory(directory: string, version: Hierarchy['version'], value: string): void {
  if (version === 2) {
    writeFileSync(join(directory, 'memory.max'), value)
    // A kernel that does not count swap has no such file.
    if (existsSync(join(directory, 'memory.swap.max'))) writeFileSync(join(directory, 'memory.swap.max'), '0')
    return
  }
  writeFileSync(join(directory, 'memory.limit_in_bytes'), value)
  // Memory and swap together.
  const both = join(directory, 'memory.memsw.limit_in_bytes')
  if (existsSync(both)) writeFileSync(both, value)
}

/** @param path - where the kernel counts for a group; the answer is `undefined` when that is gone. */
export function countKillsIn(path: string): number | undefined {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync(path, 'latin1'))?.[1] ?? 0)
  } catch {
    return undefined
  }
}

/** What the kernel makes of limits. */
export function heldLimits({ memoryBytes, ...others }: Limits): Limits {
  return memoryBytes === undefined ? others : { memoryBytes: wholePages(memoryBytes), ...others }
}

export function wholePages(bytes: number): number {
  return Math.floor(bytes / pageBytes) * pageBytes
}

/** Those of hosts that were killed. */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const owner = parseOwner(leftoverName.exec(name)?.[1] ?? '')
    if (owner !== undefined && isOwnerGone(owner)) remove(join(parent, name))
  }
}

const leftoverName = /^fenced-(.+)-\d+$/

/** A group can be removed when no process is in it. */
function remove(directory: string): boolean {
  try {
    rmdirSync(directory)
    return true
  } catch {
    return !existsSync(directory)
  }
}
