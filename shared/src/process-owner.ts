import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname, platform } from 'node:os'

/**
 * The process that made something that outlives it, such as a container or a lock. It is distinguished from every other
 * process that ever had its number, on this machine and in this process table.
 */
export interface ProcessOwner {
  /** Names the machine, its process table and the user. Only within the same one can a process be looked up. */
  readonly realm: string
  readonly processId: number
  /** When the process began; empty where the system does not tell. */
  readonly processStart: string
}

let known: { readonly userId: number | undefined; readonly owner: ProcessOwner } | undefined

/** This process. Only its user can change. */
export function thisOwner(): ProcessOwner {
  const userId = process.getuid?.()
  if (known === undefined || known.userId !== userId) {
    const owner = { realm: thisRealm(), processId: process.pid, processStart: startOf(process.pid) ?? '' }
    known = { userId, owner }
  }
  return known.owner
}

/**
 * Whether the process that made something is gone for certain. `false` also where it cannot be known.
 *
 * @param owner - the process.
 * @param thisRealmNow - for many owners: that of {@link thisOwner}.
 */
export function isOwnerGone(
  { realm, processId, processStart }: ProcessOwner,
  thisRealmNow: string = thisOwner().realm,
): boolean {
  if (realm !== thisRealmNow) return false
  if (processStart !== '') return startOf(processId) !== processStart
  try {
    process.kill(processId, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** An owner as one word, for a name or an environment; {@link parseOwner} reads it. */
export function formatOwner({ realm, processId, processStart }: ProcessOwner): string {
  return [realm, processId, ...(processStart === '' ? [] : processStart.split(' '))].join('.')
}

/** `undefined` for what {@link formatOwner} does not return. */
export function parseOwner(text: string): ProcessOwner | undefined {
  const [, realm, processId, boot, ticks] = ownerPattern.exec(text) ?? []
  if (realm === undefined) return undefined
  return {
    realm,
    processId: Number(processId),
    processStart: boot === undefined ? '' : `${boot} ${ticks}`,
  }
}

const ownerPattern = /^([0-9a-f]{32})\.([1-9]\d{0,9})(?:\.([0-9a-f-]*)\.(\d+))?$/

/** Two containers on one machine have separate process tables, in which the same numbers mean different processes. */
function thisRealm(): string {
  const parts = [platform(), hostname(), read('/etc/machine-id'), processTable(), `${process.getuid?.()}`]
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32)
}

function processTable(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

let bootId: string | undefined

/**
 * When a process began: the system's start and the clock ticks since (proc(5), field 22 of `stat`); `undefined`
 * when there is no such process, or no /proc.
 */
function startOf(processId: number): string | undefined {
  const stat = read(`/proc/${processId}/stat`)
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  if (ticks === undefined) return undefined
  bootId ??= read('/proc/sys/kernel/random/boot_id')
  return `${bootId} ${ticks}`
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1').trim()
  } catch {
    return ''
  }
}
