import { knownOptions, type OptionNames } from '../options/known-options.ts'
import type { SandboxEntry } from '../work-directory/work-directory.ts'

/** Options for a {@link SandboxFiles} call. */
export interface FilesOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined
}

/** Options for {@link SandboxFiles.read}. */
export interface ReadFileOptions extends FilesOptions {
  /**
   * Called after each chunk that was taken, with the number of bytes so far. An error that it throws ends the transfer.
   *
   * @default no calls
   */
  readonly onProgress?: ((bytes: number) => void) | undefined
}

/** Options for {@link SandboxFiles.write}. */
export interface WriteFileOptions extends ReadFileOptions {
  /**
   * Permissions, as for chmod(2).
   *
   * @default the permissions of the existing file, or the default for new files on the directory's machine
   */
  readonly mode?: number | undefined
}

/** Options for {@link SandboxFiles.move} and {@link SandboxFiles.copy}. */
export interface MoveFileOptions extends FilesOptions {
  /**
   * Whether a file or link at the new path is replaced. With `false`, the call rejects with `FILE_REFUSED` if anything is there; a
   * program that creates a file between the check and the change can still lose it.
   *
   * @default true
   */
  readonly overwrite?: boolean | undefined
}

/** Options for {@link SandboxFiles.watch}. */
export interface WatchFilesOptions extends FilesOptions {
  /**
   * Whether directories below the path are watched, too, up to 100 levels deep.
   *
   * @default false
   */
  readonly recursive?: boolean | undefined
}

/** A change in a watched directory. */
export interface FileEvent {
  /**
   * Kind of the change. A file that is replaced as a whole has `changed`. An entry that is moved is `removed` at the old path and
   * `created` at the new path.
   */
  readonly kind: 'created' | 'changed' | 'removed'
  /** Path relative to the watched directory; `.` if that directory itself was removed, which ends the watch. */
  readonly path: string
}

/** Changes in a directory, in order. Leaving the loop, the signal and disposal end the watch. */
export interface FileWatch extends AsyncIterable<FileEvent>, AsyncDisposable {}

/**
 * A sandbox's files, as its processes see them. Paths are absolute, or relative to the sandbox's `directory`.
 * `capabilities.files` determines which paths can be accessed. Below a `directory` that is shared with this machine, links are
 * not followed. Every method rejects with FencedError `FILE_REFUSED` if a path cannot be accessed, with `SANDBOX_GONE` if the
 * sandbox was lost, and with the signal's reason.
 */
export interface SandboxFiles {
  /** Returns a file's content in chunks, or `undefined` if there is no regular file at the path. */
  read(path: string, options?: ReadFileOptions): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Writes a complete file and creates the directories above it. A reader sees either the old or the new content. */
  write(
    path: string,
    content: Uint8Array | string | AsyncIterable<Uint8Array>,
    options?: WriteFileOptions,
  ): Promise<void>
  /** Returns the entry at a path, or `undefined` if nothing is there. */
  stat(path: string, options?: FilesOptions): Promise<SandboxEntry | undefined>
  /**
   * Returns the entries of a directory, in no particular order, or `undefined` if the directory does not exist. Rejects with
   * `FILE_REFUSED` if the directory has more than 100,000 names.
   */
  list(path: string, options?: FilesOptions): Promise<ReadonlyMap<string, SandboxEntry> | undefined>
  /** Creates a directory and those above it. An existing directory is left unchanged. */
  makeDirectory(path: string, options?: FilesOptions): Promise<void>
  /** Removes a file, a directory with its content, or a link. Links are never followed. */
  remove(path: string, options?: FilesOptions): Promise<void>
  /**
   * Moves an entry of any kind, and creates the directories above its new path. Links are moved as links. A file or link at the new
   * path is replaced at once; a directory is never replaced, and never replaces a file. Between file systems, the entry is copied and
   * then removed. Rejects with `FILE_REFUSED` if there is nothing to move, if the new path is taken, or if it is inside the entry.
   */
  move(from: string, to: string, options?: MoveFileOptions): Promise<void>
  /**
   * Copies a file, a link, or a directory with its content, under the same conditions as {@link move}. The copy appears as a whole.
   * It has the permissions of the original, minus the umask, but a new date and the owner of new files. Links are copied as links.
   * Pipes, sockets and devices are refused; within a directory, a sandbox whose `directory` is not on this machine copies them as
   * `cp -R` does.
   */
  copy(from: string, to: string, options?: MoveFileOptions): Promise<void>
  /**
   * Watches a directory. The promise resolves once changes are noticed. Changes of one entry that follow each other quickly, or that
   * the reader has not taken yet, are merged: the last state of each entry is always reported, and a slow reader fills no memory.
   * Changes are noticed at once with Python and inotify in the sandbox, otherwise within a second or two. Rejects with `FILE_REFUSED`
   * if the path does not lead to a directory, or there are more than 100,000 entries.
   *
   * @example
   * for await (const { kind, path } of await sandbox.files.watch('src', { recursive: true })) console.log(kind, path)
   */
  watch(path: string, options?: WatchFilesOptions): Promise<FileWatch>
}

/**
 * @param more - Names of further options, such as `mode` of {@link SandboxFiles.write}.
 * @throws FencedError `INVALID_OPTIONS` for a name that is not an option.
 */
export function checkFilesOptions<Options extends FilesOptions>(
  options: Options,
  more?: OptionNames<Omit<Options, keyof FilesOptions>>,
): Options {
  knownOptions<FilesOptions>(options, { signal: true, ...more }, 'the files of a sandbox')
  return options
}
