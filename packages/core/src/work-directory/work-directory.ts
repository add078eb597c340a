/** Files, keyed by relative path. */
export interface FileListing extends ReadonlyMap<string, ListedFile> {
  /**
   * Versions of entries that are not listed, keyed by path: links, pipes, sockets, devices, and entries that may be or contain files
   * but cannot be listed. A path is as readable as it can be made.
   */
  readonly unlisted?: ReadonlyMap<string, string>
  /** Whether the directory has more entries than a list can contain, so that files are missing. */
  readonly isCut?: boolean
}

/** An entry at a path. Links are not followed. */
export interface SandboxEntry {
  /** Kind of the entry. Links are not followed. */
  readonly kind: 'file' | 'directory' | 'link' | 'other'
  /** Size in bytes; 0 if the entry is not a regular file. */
  readonly sizeBytes: number
  /** Permissions, as for chmod(2). */
  readonly mode: number
  /**
   * User ID of the owner. A container's or pod's processes see this ID; below a `directory` that is shared with this machine, it is the
   * ID on this machine, for which bubblewrap can show a different one to its processes. 0 on Windows.
   */
  readonly uid: number
  /** Group ID of the owner, as for `uid`. */
  readonly gid: number
  /** Time when the content last changed (modification time), in milliseconds since 1970. */
  readonly changedAtMs: number
  /** Target of a link, which need not exist. Present only for links, and only from `stat`. */
  readonly linkTarget?: string
}

/** Metadata of a file. */
export interface ListedFile {
  /** Size in bytes. */
  readonly sizeBytes: number
  /** Version that changes whenever the content may have changed. */
  readonly version: string
  /** Whether the file runs with the rights of its owner or group (set-user-ID, set-group-ID). */
  readonly setsId?: true
}

/** Thrown if a file name cannot be used in this directory. The message gives the reason in words that a model can act on. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError'
  /** Values used in the message, keyed by name. */
  readonly data?: Readonly<Record<string, string>>

  constructor(message: string, data?: Readonly<Record<string, string>>) {
    super(message)
    if (data !== undefined) this.data = data
  }

  /** Whether a value is a FileRefusedError, including one from another installed copy of this package. */
  static isInstance(value: unknown): value is FileRefusedError {
    return Object(value).name === 'FileRefusedError'
  }
}
