import { realpathSync, statSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join, posix, relative, resolve, sep } from 'node:path'
import { errorMessage, FencedError } from '@fenced/errors'
import { knownOptions } from '../options/known-options.ts'
import { clearAfterKilledHosts, clearSetId, clearSetIds } from './clear-set-ids.ts'
import {
  hasContentConfined,
  listConfined,
  openConfined,
  removeConfined,
  removeEmptyDirectoryConfined,
  statConfined,
} from './confined-files.ts'
import { copyConfined, moveConfined, type Transfer } from './confined-move.ts'
import { ContentError, type FileContent, writeConfined } from './confined-writes.ts'
import { giveDirectory } from './give-directory.ts'
import { isDirectory, makeDirectory, partsOf } from './host-paths.ts'
import {
  type DirectoryTree,
  listFiles,
  listFirstFiles,
  readTree,
  type TreeEntry,
  treeEntry,
} from './list-files.ts'
import { errorCode, ignoring, namedError, openDirectory, openRoot } from './open-directory.ts'
import { inheritOwner, type Owner } from './owner.ts'
import { removeTree } from './remove-tree.ts'
import {
  claimTemporaryDirectory,
  newTemporaryPath,
  releaseTemporaryDirectory,
} from './temporary-directories.ts'
import { statOf } from './walk.ts'
import type { SandboxEntry } from './work-directory.ts'
import { type FileListing, FileRefusedError } from './work-directory.ts'
import { declareWritable } from './writable-directories.ts'

/** Options for {@link HostWorkDirectory}. */
export interface HostWorkDirectoryOptions {
  /**
   * Path of a directory on this machine. Resolved once, when the object is created. The directory is created if it does not
   * exist, and is never removed. Default: a temporary directory with a random name, accessible only to this user. It is removed
   * by `close`, when this process exits, or when it is ended by a signal that can be caught; otherwise by the next process that
   * creates a temporary directory.
   */
  path?: string | undefined
  /**
   * Real path of a directory above `path`. Links in `path` below it are refused. Default: `path` may be or contain links when the
   * directory is first used, but links that are added later are refused.
   */
  within?: string | undefined
  /** Absolute path at which the code sees the directory, for example in a container. Default: the path on this machine. */
  mountedAt?: string | undefined
}

/** Options for {@link HostWorkDirectory.write}. */
export interface WriteOptions {
  /** Whether the file is executable by everyone who can read it. Default: as before if the file exists, otherwise `false`. */
  executable?: boolean | undefined
  /** Permissions, as for chmod(2), minus this process's umask. Default: determined by `executable`; an existing file keeps its own. */
  mode?: number | undefined
}

/**
 * A working directory on this machine. File names are relative, use `/` as the separator, and must already have been checked.
 *
 * Every block is surrounded by about a dozen system calls. They are made synchronously, because most take less time than a round
 * trip to Node's thread pool. On a slow network drive, however, each call blocks the event loop. Only calls for long content and
 * large directories are asynchronous.
 */
export class HostWorkDirectory {
  /** Absolute path on this machine. Known before `open`. */
  readonly hostPath: string
  /** Absolute path as the code sees it. */
  readonly path: string
  /** Whether `close` removes the directory. */
  readonly isTemporary: boolean
  readonly #within: string | undefined
  /** Whether code of a container or a pod uses it at its own path. */
  readonly #isMounted: boolean
  #wasOpen = false
  #openedRoot: string | undefined
  /** Paths of what a program put in the place of a file that was to be removed. */
  readonly #leftovers = new Set<string>()

  constructor(options: HostWorkDirectoryOptions = {}) {
    const names = { path: true, within: true, mountedAt: true } as const
    const { path, within, mountedAt } = knownOptions(options, names, 'HostWorkDirectory')
    this.isTemporary = path === undefined
    this.#within = within
    this.#isMounted = mountedAt !== undefined
    this.hostPath = resolve(path ?? newTemporaryPath())
    this.path = mountedAt ?? this.hostPath
    if (within !== undefined) this.#openedRoot = this.hostPath
  }

  /** Ensures that the directory exists. Resolves with `false` if it had been opened before but was missing. */
  async open(): Promise<boolean> {
    if (this.#wasOpen && isDirectory(this.hostPath)) return true
    const expected = !this.#wasOpen
    if (expected) await clearAfterKilledHosts()
    try {
      if (this.isTemporary) {
        makeDirectory(dirname(dirname(this.hostPath)), 0o777)
        claimTemporaryDirectory(this.hostPath)
      }
      this.#make()
    } catch (cause) {
      if (this.isTemporary) releaseTemporaryDirectory(this.hostPath)
      throw this.#unusable('created', cause)
    }
    // The code of a container or a pod writes there: this process starts no program from it.
    if (this.#isMounted) declareWritable(this.#root)
    this.#wasOpen = true
    return expected
  }

  #make(): void {
    if (this.#within === undefined) {
      const isNew = !isDirectory(this.hostPath)
      makeDirectory(this.hostPath, this.isTemporary ? 0o700 : 0o777)
      this.#openedRoot ??= realpathSync.native(this.hostPath)
      if (isNew && !this.isTemporary) this.#inheritOwner()
    } else {
      const below = partsOf(relative(this.#within, this.hostPath).replaceAll(sep, '/'))
      using _ = openDirectory(this.#within, below, { make: true })
    }
    using _ = openRoot(this.#root)
  }

  #inheritOwner(): void {
    using above = openRoot(dirname(this.#root))
    using itself = openRoot(this.#root)
    inheritOwner(above.entry('.'), itself.entry('.'))
  }

  /** The owner; `undefined` on Windows, which has no user numbers, and if the directory cannot be opened. */
  get owner(): Owner | undefined {
    if (process.getuid === undefined) return undefined
    try {
      using directory = openRoot(this.#root)
      const { uid, gid } = statSync(directory.entry('.'))
      return { userId: uid, groupId: gid }
    } catch {
      // The next use of the directory reports it.
      return undefined
    }
  }

  /**
   * Makes a user the owner of a directory of root's that is temporary or empty, so that the user's programs can write there. Any
   * other directory is left unchanged. Requires Linux and root.
   *
   * @throws FencedError `WORK_DIR_UNUSABLE`.
   */
  async giveTo(owner: Owner): Promise<void> {
    await this.#confined('given to another user', (root) =>
      giveDirectory(root, owner, { isOurs: this.isTemporary }),
    )
  }

  /**
   * Writes a complete file and creates the directories above it, never through a link. If it fails, the previous content is left
   * in place.
   *
   * @returns The file's absolute path, as the code sees it.
   * @throws {@link FileRefusedError} if the name cannot be used.
   * @throws FencedError `WORK_DIR_UNUSABLE` if the disk is full or faulty.
   * @throws The error that reading the content throws, if any.
   */
  async write(name: string, content: FileContent, options: WriteOptions = {}): Promise<string> {
    const { executable, mode } = knownOptions(options, { executable: true, mode: true }, 'write()')
    const parts = partsOf(name)
    const file = {
      content,
      mode: mode ?? (executable === undefined ? undefined : executable ? 0o777 : 0o666),
    }
    await this.#confined('written to', (root) => writeConfined(root, parts, file))
    return this.pathOf(name)
  }

  /** Returns the absolute path of a name, as the code sees it. */
  pathOf(name: string): string {
    return (this.path === this.hostPath ? join : posix.join)(this.path, ...partsOf(name))
  }

  /** Creates a directory and those above it, never through a link. An existing directory is left unchanged. */
  async makeDirectory(name: string): Promise<void> {
    const parts = partsOf(name)
    await this.#confined('written to', (root) => {
      try {
        using _ = openDirectory(root, parts, { make: true })
      } catch (error) {
        throw namedError(error, parts)
      }
    })
  }

  /**
   * Removes a file; a missing file counts as removed. If a program put a directory in its place, the directory stays until
   * `close`, when no code is running there.
   */
  async remove(name: string): Promise<void> {
    const parts = partsOf(name)
    if (!removeConfined(this.#root, parts)) this.#leftovers.add(name)
  }

  /** Removes a directory if it exists and is empty. */
  async removeEmptyDirectory(name: string): Promise<void> {
    await this.#confined('written to', (root) => removeEmptyDirectoryConfined(root, partsOf(name)))
  }

  /** Opens a file for reading, never through a link. Resolves with `undefined` if it is not a regular file or cannot be read. */
  async openFile(name: string): Promise<FileHandle | undefined> {
    const file = await this.#confined('read', (root) => openConfined(root, partsOf(name)))
    // Yarn's Plug'n'Play replaces Node's file handles with handles that have no `Symbol.asyncDispose`.
    if (file !== undefined) file[Symbol.asyncDispose] ??= () => file.close()
    return file
  }

  /** Whether a name leads to a regular file with exactly this content, without going through a link. */
  async holds(name: string, content: string): Promise<boolean> {
    return hasContentConfined(this.#root, partsOf(name), Buffer.from(content))
  }

  /**
   * Returns a version of a regular file that changes with its content, name and attributes, or `undefined` if the file does not
   * exist.
   */
  version(name: string): string | undefined {
    const entry = this.entry(name)
    return entry?.kind === 'file' ? entry.version : undefined
  }

  /** Returns the regular files, or `undefined` if there are too many to list. */
  async list(): Promise<FileListing | undefined> {
    return this.#usable('read', () => listFiles(this.#root))
  }

  /** Returns the regular files among the first 10,000 entries. */
  async listFirst(): Promise<FileListing> {
    return this.#usable('read', () => listFirstFiles(this.#root))
  }

  /** Returns all regular files and directories, except directories with the ignored names. */
  async tree(ignored: ReadonlySet<string>): Promise<DirectoryTree> {
    return this.#usable('read', () => readTree(this.#root, ignored))
  }

  /** Returns one entry in the tree, or `undefined`. */
  entry(name: string): TreeEntry | undefined {
    const parts = partsOf(name)
    try {
      using directory = openDirectory(this.#root, parts.slice(0, -1), { make: false })
      return treeEntry(statOf(directory.entry(parts.at(-1) ?? '')))
    } catch (error) {
      if (FileRefusedError.isInstance(error) || errorCode(error) === 'ENOENT') return undefined
      throw error
    }
  }

  /** Returns the entry with a name, of any kind, or `undefined`. Links are not followed. */
  async stat(name: string): Promise<SandboxEntry | undefined> {
    return this.#confined('read', (root) => statConfined(root, partsOf(name)))
  }

  /**
   * Returns the entries of a directory, keyed by name, or `undefined` if the directory does not exist. Links are not followed.
   */
  async entries(name: string): Promise<ReadonlyMap<string, SandboxEntry> | undefined> {
    return this.#confined('read', (root) => listConfined(root, name === '' ? [] : partsOf(name)))
  }

  /** Removes an entry, including all content if it is a directory, never through a link. A missing entry counts as removed. */
  async removeAll(name: string): Promise<void> {
    const parts = partsOf(name)
    await this.#confined('written to', (root) => removeTree(root, { below: parts }))
  }

  /**
   * Moves an entry of any kind, never through a link, and creates the directories above its new place. A directory is never replaced,
   * and never replaces a file.
   *
   * @throws {@link FileRefusedError} if the entry does not exist, or its new place is taken.
   */
  async move(from: string, to: string, how: Pick<Transfer, 'overwrite' | 'signal'>): Promise<void> {
    const transfer = { ...how, from: partsOf(from), to: partsOf(to) }
    await this.#confined('written to', (root) => moveConfined(root, transfer))
  }

  /** Copies a file, a link, or a directory with all content, under the same conditions as {@link move}. Links are copied as links. */
  async copy(from: string, to: string, how: Pick<Transfer, 'overwrite' | 'signal'>): Promise<void> {
    const transfer = { ...how, from: partsOf(from), to: partsOf(to) }
    await this.#confined('written to', (root) => copyConfined(root, transfer))
  }

  /** Clears a file's set-user-ID and set-group-ID bits, if set. Never follows a link. */
  clearSetId(name: string): void {
    const parts = partsOf(name)
    try {
      using directory = openDirectory(this.#root, parts.slice(0, -1), { make: false })
      clearSetId(directory.entry(parts.at(-1) ?? ''))
    } catch (error) {
      // Gone by now, or another user's.
      if (!(FileRefusedError.isInstance(error) || errorCode(error) !== '')) throw error
    }
  }

  /**
   * Clears the set-user-ID and set-group-ID bits of all files, if the directory is mounted elsewhere: no mount of a container
   * ignores these bits on this machine. Resolves with whether no such file is left.
   *
   * @throws FencedError `WORK_DIR_UNUSABLE`.
   */
  async clearSetIds(): Promise<boolean> {
    return !this.#isMounted || this.#usable('checked', () => clearSetIds(this.#root))
  }

  /** Whether a file or directory with this name exists. */
  has(name: string): boolean {
    return this.entry(name) !== undefined
  }

  /** Removes the directory if it is temporary. If it rejects, it can be called again. */
  async close(): Promise<void> {
    if (!this.#wasOpen) return
    try {
      if (this.isTemporary) await removeTree(dirname(this.#root), { below: [basename(this.#root)] })
      else await this.#leaveInOrder()
    } catch (cause) {
      throw this.#unusable(
        'removed',
        cause,
        'Make sure that nothing is running there anymore, then call stop() again.',
      )
    }
    this.#leftovers.clear()
    if (!this.isTemporary) return
    releaseTemporaryDirectory(this.hostPath)
    this.#wasOpen = false
  }

  /** Of a directory that stays: no list of files has all that code in a container can have left there. */
  async #leaveInOrder(): Promise<void> {
    for (const name of this.#leftovers) await removeTree(this.#root, { below: partsOf(name) })
    await this.clearSetIds()
  }

  /**
   * Real path of the directory, resolved at its first use. A link that is there now was put there by a program.
   */
  get realPath(): string {
    return this.#root
  }

  get #root(): string {
    this.#openedRoot ??= ignoring('ENOENT', () => realpathSync.native(this.hostPath))
    return this.#openedRoot ?? this.hostPath
  }

  /** The directory itself may be a link: it is the caller's choice. Nothing below it may. */
  #confined<T>(what: string, work: (root: string) => T | Promise<T>): Promise<T> {
    return this.#usable(what, async () => work(this.#root))
  }

  async #usable<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (FileRefusedError.isInstance(error)) throw error
      throw error instanceof ContentError ? error.cause : this.#unusable(what, error)
    }
  }

  #unusable(
    what: string,
    cause: unknown,
    advice = 'Choose a different directory, or free disk space and grant write access there.',
  ): FencedError {
    const code = errorCode(cause)
    const reason =
      code === 'ENOTDIR' || code === 'ELOOP'
        ? `${code}: a link or a file is in its place, or above it`
        : code || errorMessage(cause)
    return new FencedError({
      code: 'WORK_DIR_UNUSABLE',
      message: `The working directory ${this.hostPath} could not be ${what} (${reason}). ${advice}`,
      data: { path: this.hostPath, reason, ...(code === '' ? {} : { systemCode: code }) },
      cause,
    })
  }
}
