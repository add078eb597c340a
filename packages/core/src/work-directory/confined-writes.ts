import {
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  writeFile,
  writeFileSync,
} from 'node:fs'
import { promisify, types } from 'node:util'
import { ignoring, namedError, type OpenDirectory, openDirectory, refusal } from './open-directory.ts'
import { inheritOwner } from './owner.ts'
import { temporaryFileName } from './temporary-files.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants

/** Content for a new file. */
export type FileContent = string | Uint8Array | AsyncIterable<Uint8Array>

/** A file to write. */
export interface NewFile {
  readonly content: FileContent
  /** Permissions, minus this process's umask. Default: those of the file that is replaced, otherwise 0o666. */
  readonly mode?: number | undefined
}

/** The content could not be read; the cause says why. */
export class ContentError extends Error {
  override readonly name = 'ContentError'

  constructor(cause: unknown) {
    super('The content of a file could not be read.', { cause })
  }
}

/**
 * Writes a file below `root` and never follows a link below it, also while programs change the directories. Directories
 * above the file are made. An existing file is replaced as a whole, so that a hard link to a file outside is cut and not
 * written through. When it fails, the old file stays.
 *
 * @param root - absolute path of a directory.
 * @param parts - names below it, none of them `.` or `..`.
 * @throws FileRefusedError when a link, a file or a directory is in the way, and for a text that UTF-8 cannot encode.
 * @throws {@link ContentError} when the content ends with an error.
 */
export async function writeConfined(root: string, parts: readonly string[], file: NewFile): Promise<void> {
  const { content } = file
  if (typeof content === 'string' && !content.isWellFormed()) throw refusal(parts, notEncodable)
  try {
    using directory = openDirectory(root, parts.slice(0, -1), { make: true })
    await write(directory, parts, file)
  } catch (error) {
    throw namedError(error, parts)
  }
}

const notEncodable = 'cannot have this content: half a surrogate pair, which UTF-8 cannot encode, is in it'

async function write(directory: OpenDirectory, parts: readonly string[], file: NewFile): Promise<void> {
  const name = parts.at(-1) ?? ''
  const path = directory.entry(name)
  // Most often there is nothing yet, and all of the content is here: then this is all.
  if (!isStream(file.content) && (await writeNew(directory, name, file))) return
  const before = modeOfFile(path, parts)
  const exactMode = file.mode === undefined ? before : undefined
  const temporaryName = temporaryFileName('tmp')
  await writeNew(directory, temporaryName, { ...file, exactMode })
  const temporary = directory.entry(temporaryName)
  try {
    renameSync(temporary, path)
  } catch (error) {
    removeQuietly(temporary)
    throw error
  }
}

/** Writes a file that must not be there yet, not even as a link; `false` when something is. */
export async function writeNew(
  directory: OpenDirectory,
  name: string,
  { content, exactMode, mode = exactMode ?? 0o666 }: NewFile & { readonly exactMode?: number | undefined },
): Promise<boolean> {
  const path = directory.entry(name)
  const file = ignoring('EEXIST', () => openSync(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, mode))
  if (file === undefined) return false
  try {
    inheritOwner(directory.entry('.'), file)
    if (exactMode !== undefined) fchmodSync(file, exactMode)
    await fill(file, content)
  } catch (error) {
    removeQuietly(path)
    throw error
  } finally {
    closeSync(file)
  }
  return true
}

async function fill(file: number, content: FileContent): Promise<void> {
  if (isStream(content)) {
    for await (const chunk of blamed(content)) await append(file, chunk)
  } else if (content.length > longestAtOnce) {
    await append(file, content)
  } else {
    writeFileSync(file, content)
  }
}

/** Longer content than this is written by the thread pool. A program is shorter. */
const longestAtOnce = 65_536

/** Given a descriptor, it continues where the last write ended. */
const append = promisify(writeFile)

function removeQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Report why it had to be removed.
  }
}

function isStream(content: FileContent): content is AsyncIterable<Uint8Array> {
  return typeof content !== 'string' && !types.isUint8Array(content)
}

/** An error of the source must not pass for one of the disk. */
async function* blamed(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* content
  } catch (error) {
    throw new ContentError(error)
  }
}

/** The permission bits of the regular file at a path, if there is one. @throws FileRefusedError for a link and a directory. */
function modeOfFile(path: string, parts: readonly string[]): number | undefined {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  if (entry?.isSymbolicLink()) throw refusal(parts, 'is a link')
  if (entry?.isDirectory()) throw refusal(parts, 'is a directory')
  return entry?.isFile() ? entry.mode & 0o777 : undefined
}
