import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Notice, StartOptions } from '@fenced/core'
import { isOwnerGone, type ProcessOwner, thisOwner } from '@fenced/host'

/** How often it is tried, in milliseconds. */
const tryAgainMs = 50

/** A lock whose holder has not written its name after this time in milliseconds will not do it any more. */
const namelessMs = 5_000

/**
 * Keeps two processes from making the same directory at once. The lock is a directory beside it, because making one is
 * atomic everywhere; the lock of a process that is gone is taken away.
 */
export async function lockDirectory(
  path: string,
  { signal, onNotice }: StartOptions,
): Promise<AsyncDisposable> {
  const lock = `${path}.lock`
  await mkdir(dirname(path), { recursive: true })
  for (let attempt = 0; ; attempt++) {
    signal?.throwIfAborted()
    if (await take(lock)) return { [Symbol.asyncDispose]: () => rm(lock, { recursive: true, force: true }) }
    if (attempt === 0) onNotice?.(waiting(path))
    if (await isAbandoned(lock)) await removeAbandoned(lock)
    else await sleep(tryAgainMs, undefined, signal === undefined ? {} : { signal })
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await mkdir(lock)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  try {
    await writeFile(join(lock, 'holder.json'), JSON.stringify(thisOwner()))
    return true
  } catch (error) {
    await rm(lock, { recursive: true, force: true })
    throw error
  }
}

async function isAbandoned(lock: string): Promise<boolean> {
  const holder = await readHolder(lock)
  if (holder === undefined) {
    const made = await stat(lock).catch(() => undefined)
    return made !== undefined && Date.now() - made.mtimeMs > namelessMs
  }
  // Of another machine nothing is known, so its lock is respected.
  return isOwnerGone(holder)
}

/** Only one of those who want it gone moves it away; another one may hold a new lock by then. */
async function removeAbandoned(lock: string): Promise<void> {
  const moved = `${lock}.${randomBytes(4).toString('hex')}`
  try {
    await rename(lock, moved)
  } catch {
    return
  }
  await rm(moved, { recursive: true, force: true })
}

async function readHolder(lock: string): Promise<ProcessOwner | undefined> {
  try {
    return JSON.parse(await readFile(join(lock, 'holder.json'), 'utf8'))
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
