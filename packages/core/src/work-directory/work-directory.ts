/** The files of a driver, for the engine. Names are relative, with `/` between the parts, and have been checked. */
export interface WorkDirectory {
  /** Absolute path on this machine; `undefined` where the files are only in the sandbox. Known before `open`. */
  readonly hostPath: string | undefined
  /** Absolute path as the code sees it. */
  readonly path: string
  /**
   * Whether it is removed at the end.
   *
   * @default false
   */
  readonly isTemporary?: boolean | undefined
  /** Makes sure that it exists. Resolves to `false` when it was missing although it had been open before. */
  open(): Promise<boolean>
  /**
   * Writes a file and the directories above it, never through a link and never to the outside.
   * @returns its absolute path as the code sees it.
   * @throws {@link FileRefusedError} when the name cannot be used.
   */
  write(name: string, content: string | Uint8Array): Promise<string>
  /** Whether a name leads, never through a link, to a regular file that holds exactly this. */
  holds(name: string, content: string): Promise<boolean>
  /**
   * Returns the state of a regular file: another one after each change of its content, its name or its attributes. `undefined` when there is
   * no such file.
   *
   * @default programs are compared by their content alone
   */
  version?(name: string): string | undefined
  /** Takes the set-user-id and set-group-id bits from a file that has them. Never through a link. */
  clearSetId(name: string): void
  /** Whether there is a file or a directory of this name. */
  has(name: string): boolean
  /**
   * Removes a file; one that is not there counts as removed. A directory that a program put in its place stays until
   * `close`, when no code runs there any more.
   */
  remove(name: string): Promise<void>
  /** The regular files, or `undefined` when there are too many to list. */
  list(): Promise<FileListing | undefined>
  /** Removes it if it was temporary. When it rejects it can be called again. */
  close(): Promise<void>
}

/** By relative path. */
export interface FileListing extends ReadonlyMap<string, ListedFile> {
  /** Entries that may be files, or hold files, that cannot be listed: their paths as far as they can be shown, each with a version. */
  readonly unlisted?: ReadonlyMap<string, string>
}

/** What stands at a path. Links are not followed. */
export interface SandboxEntry {
  readonly kind: 'file' | 'directory' | 'link' | 'other'
  /** In bytes; 0 for what is no file. */
  readonly sizeBytes: number
  /** Permissions, as chmod(2) takes them. */
  readonly mode: number
  /** The last change of its content, in milliseconds since 1970. */
  readonly changedAtMs: number
}

/** What is known of a file without reading it. */
export interface ListedFile {
  readonly sizeBytes: number
  /** Changes whenever the content may have changed. */
  readonly version: string
  /** Whether who runs it gets the rights of its owner or group (set-user-id, set-group-id). */
  readonly setsId?: true
}

/** A file name that cannot be used in this directory. The message says why, in words that a model can act on. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError'
  /** The values in the message, by name. */
  readonly data?: Readonly<Record<string, string>>

  constructor(message: string, data?: Readonly<Record<string, string>>) {
    super(message)
    if (data !== undefined) this.data = data
  }

  /** Whether a value is such an error, also one of another installed copy of this package. */
  static isInstance(value: unknown): value is FileRefusedError {
    return Object(value).name === 'FileRefusedError'
  }
}
