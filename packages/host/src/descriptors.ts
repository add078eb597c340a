import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { devNull } from 'node:os'
import { FencedError } from '@fenced/core'
import { errorMessage } from '@fenced/errors'

/** A descriptor of the null device for each place: Deno takes none for two. */
const nullDevices: number[] = []
let inherited: readonly number[] | undefined

/**
 * Returns `stdio` entries that follow a child's own descriptors and prevent it from inheriting any descriptor of this process.
 * Descriptors that this process inherited (`fenced 9< <(secret)`, a service manager's sockets) would otherwise be passed on to
 * every child. They are replaced with the null device. Linux only, because other systems do not list them. Without `/proc`, every
 * descriptor that is open at the first call counts as inherited.
 *
 * @param ownCount - Number of the child's own descriptors, including its standard streams.
 * @throws FencedError `NO_RESOURCES` if a descriptor cannot be replaced in a child because the limit was lowered below it.
 */
export function withoutInherited(ownCount: number): Array<number | 'ignore'> {
  inherited ??= process.platform === 'linux' ? inheritedDescriptors() : []
  const last = Math.max(-1, ...inherited)
  if (last < ownCount) return []
  const limit = descriptorLimit()
  if (last >= limit) throw beyondLimit(last, limit)
  const replaced = inherited.filter((descriptor) => descriptor >= ownCount)
  while (nullDevices.length < replaced.length) nullDevices.push(openSync(devNull, 'r+'))
  // `ignore` leaves a descriptor beyond the standard streams unchanged.
  const result = new Array<number | 'ignore'>(last + 1 - ownCount).fill('ignore')
  for (const [index, descriptor] of replaced.entries())
    result[descriptor - ownCount] = nullDevices[index] ?? 'ignore'
  return result
}

function inheritedDescriptors(): number[] {
  if (!existsSync('/proc/self/fdinfo')) return openDescriptors()
  return readdirSync('/proc/self/fdinfo')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isInherited(descriptor))
}

/** The open descriptors of this process, up to the usual limit. */
function openDescriptors(): number[] {
  return Array.from({ length: 1_024 }, (_, descriptor) => descriptor).filter(
    (descriptor) => descriptor > 2 && isOpen(descriptor),
  )
}

function isOpen(descriptor: number): boolean {
  try {
    fstatSync(descriptor)
    return true
  } catch {
    return false
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0
  } catch {
    // The one by which the directory was read.
    return false
  }
}

/** One more than the highest descriptor that this process and its children can open. */
function descriptorLimit(): number {
  if (!existsSync('/proc/self/limits')) return Number.POSITIVE_INFINITY
  const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1]
  return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit)
}

function beyondLimit(descriptor: number, limit: number): FencedError {
  return new FencedError({
    code: 'NO_RESOURCES',
    message: `No program can be started: this process was started with the file descriptor ${descriptor}, but its limit on open files (ulimit -n) is ${limit}. A program would inherit that descriptor. Raise the limit above ${descriptor}, or start this process without the descriptor.`,
    data: { descriptor: `${descriptor}`, limit: `${limit}` },
  })
}

/** O_CLOEXEC (asm-generic/fcntl.h). */
const closeOnExec = 0o2000000

/** What a child takes until it runs: its streams, both ends of each, and the kernel's report of its start. */
const neededForChild = 8

/**
 * Checks that a child can be started right now. If Node has too few descriptors, it silently loses some of the child's.
 *
 * @throws FencedError `NO_RESOURCES`.
 */
export function requireDescriptorsForChild(): void {
  const taken: number[] = []
  try {
    while (taken.length < neededForChild) taken.push(openSync(devNull, 'r'))
  } catch (cause) {
    throw noResources('start a program', cause)
  } finally {
    for (const descriptor of taken) closeSync(descriptor)
  }
}

/**
 * Returns the error for a program that could not be started because the system allows this process or its user no more resources.
 */
export function noResources(what: string, cause: unknown): FencedError {
  const reason = errorMessage(cause)
  return new FencedError({
    code: 'NO_RESOURCES',
    message: `This process could not ${what}: ${reason}. It has too many open files or processes, or no memory is left. Close some, or raise the limits (ulimit -n, ulimit -u).`,
    data: { reason },
    cause,
  })
}

/** Whether the system refused to start a program because its resources are in use, not because of the program itself. */
export function isNoResources(error: NodeJS.ErrnoException): boolean {
  return ['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'].includes(error.code ?? '')
}
