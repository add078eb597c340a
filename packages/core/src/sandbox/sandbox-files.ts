import type { SandboxEntry } from '../work-directory/work-directory.ts'

/** Options of a call of {@link SandboxFiles}. */
export interface FilesOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined
}

/** Options of {@link SandboxFiles.write}. */
export interface WriteFileOptions extends FilesOptions {
  /**
   * Permissions, as chmod(2) takes them.
   *
   * @default what its directory's machine gives a new file
   */
  readonly mode?: number | undefined
}

/**
 * The files of a sandbox as its processes see them. Paths are absolute, or relative to the sandbox's `directory`; which of
 * them can be reached, `capabilities.files` says; below a `directory` that is shared with this machine no link is followed. Every
 * method rejects with FencedError `FILE_REFUSED` for a path that cannot be reached, with `SANDBOX_GONE` when the sandbox went
 * away, and with the reason of the signal.
 */
export interface SandboxFiles {
  /**
   * The content of a file, in chunks; `undefined` when there is no regular file.
   */
  read(path: string, options?: FilesOptions): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Writes a file as a whole, with the directories above it: a reader sees the old content or the new. */
  write(
    path: string,
    content: Uint8Array | string | AsyncIterable<Uint8Array>,
    options?: WriteFileOptions,
  ): Promise<void>
  /** `undefined` when nothing is there. */
  stat(path: string, options?: FilesOptions): Promise<SandboxEntry | undefined>
  /**
   * Lists the entries of a directory, in no order; `undefined` for a missing directory. A directory with more than 100,000 names rejects with
   * `FILE_REFUSED`.
   */
  list(path: string, options?: FilesOptions): Promise<ReadonlyMap<string, SandboxEntry> | undefined>
  /** Makes a directory, and the directories above it. An existing directory stays unchanged. */
  makeDirectory(path: string, options?: FilesOptions): Promise<void>
  /** Removes a file, a directory with its content, or a link. Never follows a link. */
  remove(path: string, options?: FilesOptions): Promise<void>
}
