/** By relative path. */
export interface FileListing extends ReadonlyMap<string, ListedFile> {
  /** Entries that may be files, or hold files, that cannot be listed: their paths as far as they can be shown, each with a version. */
  readonly unlisted?: ReadonlyMap<string, string>
}

/** The kind of the entry at a path. Links are not followed. */
export interface SandboxEntry {
  /** The kind of the entry. A link is not followed. */
  readonly kind: 'file' | 'directory' | 'link' | 'other'
  /** Size in bytes; 0 for an entry that is not a regular file. */
  readonly sizeBytes: number
  /** Permissions, as chmod(2) takes them. */
  readonly mode: number
  /** The last change of its content, in milliseconds since 1970. */
  readonly changedAtMs: number
}

/** Metadata of a file. */
export interface ListedFile {
  /** Size in bytes. */
  readonly sizeBytes: number
  /** Changes whenever the content may have changed. */
  readonly version: string
  /** Whether it runs with the rights of its owner or group (set-user-id, set-group-id). */
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
