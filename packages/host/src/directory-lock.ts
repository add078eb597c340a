import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Notice, StartOptions } from '@fenced/core'
import { isOwnerGone, type ProcessOwner, thisOwner } from '@fenced/core/internal'

/** How often it is tried, in milliseconds. */
const tryAgainMs = 50

/** What stands in a lock: who holds it, and what tells it from a later lock of the same name. */
interface Holder extends ProcessOwner {
  readonly id: string
}

/** Keeps two processes from making the same directory at once. The lock of a process that is gone is removed. */
export async function lockDirectory(
  path: string,
  { signal, onNotice }: StartOptions,
): Promise<AsyncDisposable> {
  await mkdir(dirname(path), { recursive: true })
  return takeLock(`${path}.lock`, { signal, onWait: () => onNotice?.(waiting(path)) })
}

interface LockOptions {
  readonly signal?: AbortSignal | undefined
  /** Called once when somebody else has it. */
  readonly onWait?: () => void
}

/**
 * The lock is a file, which appears together with its content: it is written under another name, and linked to its own
 * (link(2) fails where there is one already).
 */
async function takeLock(lock: string, { signal, onWait }: LockOptions): Promise<AsyncDisposable> {
  const holder: Holder = { ...thisOwner(), id: randomUUID() }
  const written = `${lock}.${holder.id}`
  await writeFile(written, JSON.stringify(holder))
  try {
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted()
      if (await isLinked(written, lock)) return { [Symbol.asyncDispose]: () => rm(lock, { force: true }) }
      if (attempt === 0) onWait?.()
      const other = await readHolder(lock)
      // Of a process on another machine nothing is known, so its lock is respected.
      if (other !== undefined && isOwnerGone(other)) await removeAbandoned(lock, other, { signal })
      else await sleep(tryAgainMs, undefined, signal === undefined ? {} : { signal })
    }
  } finally {
    await rm(written, { force: true })
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
async function removeAbandoned(lock: string, { id }: Holder, options: LockOptions): Promise<void> {
  await using _removal = await takeLock(`${lock}.removal`, options)
  if ((await readHolder(lock))?.id === id) await rm(lock, { force: true })
}

/** `undefined` when there is none any more. */
async function readHolder(lock: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(lock, 'utf8'))
  } catch {
    return undefined
  }
}

function waiting(path: string): Notice {
  return {
    code: 'waiting',
    message: `Somebody else makes or changes ${path} at this moment. Waiting for it.`,
  }
}
