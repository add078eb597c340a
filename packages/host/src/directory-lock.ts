import { randomUUID } from 'node:crypto'
import { link, lstat, mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Notice, StartOptions } from '@fenced/core'
import { checkStartOptions } from '@fenced/core/internal'
import { isOwnerGone, thisOwner } from '@fenced/shared'

/** Pause between two attempts, in milliseconds. */
const tryAgainMs = 50
/** How often a holder touches its lock, in milliseconds. */
const touchMs = 10_000
/** How long a lock can stay untouched before other processes remove it, in milliseconds. */
const abandonedMs = 60_000

/** Content of a lock: its holder, and an id that no later lock has. */
interface Holder {
  readonly realm: string
  readonly processId: number
  readonly processStart: string
  readonly id: string
}

interface FoundLock {
  /** `undefined` for a damaged lock, such as an empty file after a loss of power. */
  readonly holder: Holder | undefined
  /** Changes when the lock is touched or replaced. */
  readonly version: string
}

/**
 * Prevents two processes from creating the same directory at once. Removes the lock of a process that has ended. A process in
 * another container or on another machine cannot be checked, and a damaged lock does not name a process, so such a lock is
 * removed once it has not been touched for a minute.
 */
export async function lockDirectory(path: string, options: StartOptions): Promise<AsyncDisposable> {
  const { signal, onNotice } = checkStartOptions(options)
  await mkdir(dirname(path), { recursive: true })
  return takeLock(`${path}.lock`, { signal, onWait: () => onNotice?.(waiting(path)) })
}

interface LockOptions {
  readonly signal?: AbortSignal | undefined
  /** Called once, when another process has the lock. */
  readonly onWait?: () => void
}

/**
 * The lock file appears together with its content: it is written under another name, and then linked to its final name
 * (link(2) fails if the name exists).
 */
async function takeLock(lock: string, { signal, onWait }: LockOptions): Promise<AsyncDisposable> {
  const holder: Holder = { ...thisOwner(), id: randomUUID() }
  const written = `${lock}.${holder.id}`
  await writeFile(written, JSON.stringify(holder))
  const isAbandoned = abandonedLocks()
  try {
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted()
      if (await isLinked(written, lock)) return heldLock(lock, holder)
      if (attempt === 0) onWait?.()
      const found = await findLock(lock)
      if (found !== undefined && isAbandoned(found)) await removeAbandoned(lock, found, { signal })
      else await sleep(tryAgainMs, undefined, signal === undefined ? {} : { signal })
    }
  } finally {
    await rm(written, { force: true })
  }
}

function heldLock(lock: string, { id }: Holder): AsyncDisposable {
  const touch = () => utimes(lock, new Date(), new Date()).catch(() => {})
  const timer = setInterval(touch, touchMs).unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      // Another process has it if this one was suspended for too long.
      if ((await findLock(lock))?.holder?.id === id) await rm(lock, { force: true })
    },
  }
}

/** Compares what one waiting process sees, on its own clock: the clocks of two machines differ. */
export function abandonedLocks(): (found: FoundLock) => boolean {
  let version: string | undefined
  let since = 0
  return (found) => {
    if (found.version !== version) {
      version = found.version
      since = performance.now()
    }
    const { holder } = found
    if (holder !== undefined && isOwnerGone(holder)) return true
    if (holder !== undefined && holder.realm === thisOwner().realm) return false
    return performance.now() - since > abandonedMs
  }
}

async function isLinked(written: string, lock: string): Promise<boolean> {
  try {
    await link(written, lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** One at a time, or the second of two who saw the same abandoned lock would remove the new lock of the first. */
async function removeAbandoned(lock: string, { version }: FoundLock, options: LockOptions): Promise<void> {
  await using _removal = await takeLock(`${lock}.removal`, options)
  if ((await findLock(lock))?.version === version) await rm(lock, { force: true })
}

/** Returns `undefined` when there is no lock. */
async function findLock(lock: string): Promise<FoundLock | undefined> {
  try {
    // Its version first: a lock that replaces it meanwhile must not count as old.
    const { ino, mtimeNs } = await lstat(lock, { bigint: true })
    // Opening it also makes a network file system ask for the times of the file again.
    const text = await readFile(lock, 'utf8').catch(() => '')
    return { holder: parseHolder(text), version: `${ino} ${mtimeNs}` }
  } catch {
    return undefined
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { realm, processId, processStart, id } = JSON.parse(text)
    const isWhole = [realm, processStart, id].every((field) => typeof field === 'string')
    return isWhole && Number.isInteger(processId) ? { realm, processId, processStart, id } : undefined
  } catch {
    return undefined
  }
}

function waiting(path: string): Notice {
  return {
    code: 'waiting',
    message: `Another process is creating or changing ${path}. Waiting until it removes ${path}.lock.`,
    data: { path },
  }
}
