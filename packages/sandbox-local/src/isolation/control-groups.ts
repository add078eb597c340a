import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MemoryUse } from '@fenced/core/sandbox'
import { errorMessage } from '@fenced/errors'
import { formatOwner, isOwnerGone, parseOwner, thisOwner } from '@fenced/shared'
import { findHierarchy, type Hierarchy } from './cgroup-hierarchy.ts'
import { limitedShell } from './limited-shell.ts'
import type { LimitedCommand, Limiter, Limits } from './limits.ts'
import { limitsUnavailable } from './limits.ts'

/** How long the last processes of a group may take to end, in milliseconds. */
const endGraceMs = 2_000

/** The kernel bounds whole pages, and none are larger. */
const pageBytes = 65_536

/** In microseconds: the kernel gives the time of `cpus` out anew in each. */
const periodUs = 100_000

/** One limit: its hierarchy, and the files of a group there with their contents. */
interface Holder extends Hierarchy {
  readonly values: Readonly<Record<string, string>>
  /** Where the kernel counts whom it killed. */
  readonly events?: string
}

/** Control groups of each command, one in each hierarchy that has a controller which is needed. */
export class ControlGroups implements Limiter {
  readonly limits: Limits
  readonly #holders: readonly Holder[]
  /** Directories of commands that have ended. */
  readonly #ended = new Set<string>()

  /** The answer is why there are none where this process can make none. */
  static find(limits: Limits): ControlGroups | string {
    try {
      const holders = findHolders(limits)
      for (const { parent } of holders) removeLeftovers(parent)
      return new ControlGroups(holders, heldLimits(limits))
    } catch (error) {
      return `${errorMessage(error)}.`
    }
  }

  private constructor(holders: readonly Holder[], limits: Limits) {
    this.limits = limits
    this.#holders = holders
  }

  wrap(command: readonly string[]): LimitedCommand {
    this.#removeEnded()
    const name = `fenced-${formatOwner(thisOwner())}-${randomBytes(8).toString('hex')}`
    const directories = new Set<string>()
    const end = () => {
      for (const directory of directories) this.#ended.add(directory)
      this.#removeEnded()
    }
    let events = ''
    let memoryUse: LimitedCommand['memoryUse'] = () => undefined
    try {
      for (const holder of this.#holders) {
        const directory = join(holder.parent, name)
        // Two controllers can share a hierarchy.
        if (!directories.has(directory)) mkdirSync(directory)
        directories.add(directory)
        setLimits(directory, holder)
        if (holder.events === undefined) continue
        events = join(directory, holder.events)
        memoryUse = () => memoryOfGroup(directory, holder.version, this.limits.memoryBytes ?? 0)
      }
    } catch (error) {
      end()
      throw limitsUnavailable(this.limits, `${errorMessage(error)}.`)
    }
    const files = [...directories].map((directory) => join(directory, 'cgroup.procs'))
    return {
      command: [...limitedShell(enter), events, `${files.length}`, ...files, ...command],
      countKills: () => (events === '' ? 0 : countKillsIn(events)),
      memoryUse,
      killsAtEnd: () => (events === '' ? 0 : countKillsIn(events)),
      end,
    }
  }

  async end(): Promise<void> {
    const giveUpAt = performance.now() + endGraceMs
    // What is left the next start removes.
    while (!this.#removeEnded() && performance.now() < giveUpAt) await sleep(10)
  }

  /** Whether none is left. A group can be removed when the last process in it was waited for. */
  #removeEnded(): boolean {
    for (const directory of this.#ended) if (remove(directory)) this.#ended.delete(directory)
    return this.#ended.size === 0
  }
}

/** @throws Error that says why a limit cannot be enforced. */
function findHolders({ memoryBytes, pids, cpus }: Limits): Holder[] {
  const holders: Holder[] = []
  if (memoryBytes !== undefined) {
    const hierarchy = findHierarchy('memory')
    holders.push({ ...hierarchy, ...memoryFiles(hierarchy, `${wholePages(memoryBytes)}`) })
  }
  if (pids !== undefined) holders.push({ ...findHierarchy('pids'), values: { 'pids.max': `${pids}` } })
  if (cpus !== undefined) {
    const hierarchy = findHierarchy('cpu')
    const quotaUs = Math.round(cpus * 100) * (periodUs / 100)
    const values: Holder['values'] =
      hierarchy.version === 2
        ? { 'cpu.max': `${quotaUs} ${periodUs}` }
        : { 'cpu.cfs_period_us': `${periodUs}`, 'cpu.cfs_quota_us': `${quotaUs}` }
    holders.push({ ...hierarchy, values })
  }
  return holders
}

/** No swap is added. */
function memoryFiles({ version }: Hierarchy, value: string): Pick<Holder, 'values' | 'events'> {
  return version === 2
    ? { values: { 'memory.max': value, 'memory.swap.max': '0' }, events: 'memory.events' }
    : {
        // The second is for memory and swap together.
        values: { 'memory.limit_in_bytes': value, 'memory.memsw.limit_in_bytes': value },
        events: 'memory.oom_control',
      }
}

/** A kernel that does not count swap has no such file. */
const optionalFiles: ReadonlySet<string> = new Set(['memory.swap.max', 'memory.memsw.limit_in_bytes'])

function setLimits(directory: string, { values }: Holder): void {
  for (const [name, value] of Object.entries(values)) {
    const file = join(directory, name)
    if (!optionalFiles.has(name) || existsSync(file)) writeFileSync(file, value)
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

/** @param path - where the kernel counts for a group; the answer is `undefined` when that is gone. */
export function countKillsIn(path: string): number | undefined {
  try {
    return fieldIn(readFileSync(path, 'latin1'), 'oom_kill')
  } catch {
    return undefined
  }
}

/** Reads the memory of a control group of version 2 or 1. `undefined` when the group is gone. */
export function memoryOfGroup(directory: string, version: 1 | 2, limitBytes: number): MemoryUse | undefined {
  try {
    const [use, cache] =
      version === 2
        ? (['memory.current', 'inactive_file'] as const)
        : (['memory.usage_in_bytes', 'total_inactive_file'] as const)
    const usedBytes = Number(read(use)) - fieldIn(read('memory.stat'), cache)
    return { usedBytes, limitBytes, endsTogether: version === 2 && read('memory.oom.group').trim() === '1' }
  } catch {
    return undefined
  }

  function read(name: string): string {
    return readFileSync(join(directory, name), 'latin1')
  }
}

/** A number of a file with lines of a name and a number. */
function fieldIn(content: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(content)?.[1] ?? 0)
}

/** What the kernel makes of limits. */
export function heldLimits({ memoryBytes, cpus, ...others }: Limits): Limits {
  return {
    ...(memoryBytes === undefined ? {} : { memoryBytes: wholePages(memoryBytes) }),
    ...others,
    ...(cpus === undefined ? {} : { cpus: Math.round(cpus * 100) / 100 }),
  }
}

function wholePages(bytes: number): number {
  return Math.floor(bytes / pageBytes) * pageBytes
}

/** Those of hosts that were killed. */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const owner = parseOwner(leftoverName.exec(name)?.[1] ?? '')
    if (owner !== undefined && isOwnerGone(owner)) remove(join(parent, name))
  }
}

const leftoverName = /^fenced-(.+)-[0-9a-f]+$/

/** A group can be removed when no process is in it. */
function remove(directory: string): boolean {
  try {
    rmdirSync(directory)
    return true
  } catch {
    return !existsSync(directory)
  }
}
