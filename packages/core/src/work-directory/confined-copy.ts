import { chmodSync, constants, lstatSync, mkdirSync, readlinkSync, statSync, symlinkSync } from 'node:fs'
import { open, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { writeNew } from './confined-writes.ts'
import { errorCode, type OpenDirectory, openOne, refusal } from './open-directory.ts'
import { inheritOwner } from './owner.ts'
import { maxDepth } from './walk.ts'

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

/** An entry of an open directory. Its last name is the entry's. */
export interface Place {
  readonly directory: OpenDirectory
  /** Names below the root. */
  readonly parts: readonly string[]
}

interface CopyContext {
  readonly root: string
  readonly signal?: AbortSignal | undefined
}

/**
 * Copies a file, a link, or a directory with its content to a name that is not there yet. Each directory is opened below an open one, so
 * no link is followed, whatever programs change meanwhile.
 *
 * @throws FileRefusedError for every other kind, a name that is not UTF-8, and a directory that is too deep.
 */
export async function copyEntry(from: Place, to: Place, context: CopyContext): Promise<void> {
  context.signal?.throwIfAborted()
  const path = pathOf(from)
  const entry = readable(from, () => lstatSync(path))
  if (entry.isDirectory()) await copyDirectory(from, to, context)
  else if (entry.isSymbolicLink())
    symlinkSync(
      readable(from, () => readlinkSync(path)),
      pathOf(to),
    )
  else if (entry.isFile()) await copyFile(from, to, context)
  else throw refusal(from.parts, 'is a pipe, a socket or a device, which is not copied')
}

async function copyFile(from: Place, to: Place, { signal }: CopyContext): Promise<void> {
  // A pipe that has taken its place would keep us waiting for a writer.
  const file = await open(pathOf(from), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    throw unreadable(from, error)
  })
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw refusal(from.parts, 'is not a regular file')
    const content = file.createReadStream({ autoClose: false, ...(signal === undefined ? {} : { signal }) })
    await writeNew(to.directory, to.parts.at(-1) ?? '', { content, mode: stat.mode & 0o777 })
  } finally {
    await file.close()
  }
}

async function copyDirectory(from: Place, to: Place, context: CopyContext): Promise<void> {
  if (from.parts.length > maxDepth) throw refusal(from.parts, `is more than ${maxDepth} directories deep`)
  using source = readable(from, () => openOne(pathOf(from), join(context.root, ...from.parts)))
  const { mode } = statSync(source.entry('.'))
  // Its owner must be able to fill it.
  mkdirSync(pathOf(to), { mode: (mode & 0o777) | 0o700 })
  using target = openOne(pathOf(to), join(context.root, ...to.parts))
  inheritOwner(to.directory.entry('.'), target.entry('.'))
  for await (const { name } of await opendir(source.entry('.'), { bufferSize: 256 })) {
    if (name.includes('\uFFFD')) throw refusal([...from.parts, name], 'has a name that is not UTF-8')
    await copyEntry(
      { directory: source, parts: [...from.parts, name] },
      { directory: target, parts: [...to.parts, name] },
      context,
    )
  }
  if ((mode & 0o700) !== 0o700)
    chmodSync(target.entry('.'), statSync(target.entry('.')).mode & (mode | 0o077))
}

function pathOf({ directory, parts }: Place): string {
  return directory.entry(parts.at(-1) ?? '')
}

function readable<Value>(from: Place, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    throw unreadable(from, error)
  }
}

/** A program removed, replaced or locked the entry meanwhile: the disk is not to blame. */
function unreadable({ parts }: Place, error: unknown): unknown {
  const code = errorCode(error)
  return programsFault.has(code) ? refusal(parts, `cannot be read (${code})`, code) : error
}

const programsFault = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EACCES', 'EPERM', 'EINVAL'])
