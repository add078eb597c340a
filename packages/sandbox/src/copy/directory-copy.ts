import type { HostWorkDirectory } from '@fenced/core/driver'
import type { SandboxBackend } from '@fenced/core/sandbox'
import { CopyBudget } from './copy-budget.ts'
import { type CopiedIn, copyIn } from './copy-in.ts'
import { CopyOut } from './copy-out.ts'
import { type CopyReport, SkippedEntries } from './copy-report.ts'
import { makeWritable } from './make-writable.ts'
import type { FileOwner, KnownEntries, Sides } from './sides.ts'

export interface DirectoryCopyOptions {
  readonly hostDirectory: HostWorkDirectory
  readonly backend: SandboxBackend
  /** Absolute path of a directory in the sandbox that can be written to: a volume. */
  readonly path: string
  /** The user that runs the code. */
  readonly owner: FileOwner
  /** How much one copy out of the sandbox may bring, in bytes. Default 1 GiB. */
  readonly maxBytes?: number | undefined
}

/** How long a copy may take. */
export interface CopyOptions {
  readonly signal: AbortSignal
}

/**
 * Keeps a directory on this machine and one in a sandbox the same, for an engine that does not share this
 * machine's files: copy in before the code runs, copy out after it. One at a time, and one object for one sandbox.
 *
 * Carried over are regular files with their permission bits, and directories. Links and what is in the
 * {@link ignoredDirectories} stay where they are. The later copy wins where both sides changed a file, but only
 * what the code changed is ever written on this machine, and only what is as the last copy left it is removed.
 *
 * When a copy fails or is aborted, every file here is whole, and the next copy makes good for it.
 */
export class DirectoryCopy {
  readonly #options: DirectoryCopyOptions
  readonly #known: KnownEntries = new Map()
  readonly #skippedHere = new SkippedEntries()
  readonly #skippedThere = new SkippedEntries()
  #isWritable = false

  constructor(options: DirectoryCopyOptions) {
    this.#options = options
  }

  /**
   * Sends what was made or changed on this machine.
   * @returns the names below the directory that were removed here, for the caller to remove in the sandbox: of a
   * directory with all that is in it, only its own; and a report on what was left here.
   */
  async copyIn({ signal }: CopyOptions): Promise<CopiedIn> {
    return this.#copy(signal, async (sides) => {
      if (!this.#isWritable) await makeWritable(sides.target)
      this.#isWritable = true
      return copyIn(sides, this.#skippedHere)
    })
  }

  /**
   * Brings what the code made and changed, and removes here what it removed.
   * @throws FencedError `WORK_DIR_UNUSABLE` when the directory on this machine cannot be written to.
   */
  async copyOut({ signal }: CopyOptions): Promise<CopyReport> {
    const { maxBytes = 2 ** 30 } = this.#options
    const limits = { budget: new CopyBudget(maxBytes), skipped: this.#skippedThere }
    return this.#copy(signal, (sides) => new CopyOut(sides, limits).run())
  }

  async #copy<Result>(signal: AbortSignal, copy: (sides: Sides) => Promise<Result>): Promise<Result> {
    signal.throwIfAborted()
    const { hostDirectory, backend, path, owner } = this.#options
    const target = { backend, path, owner, signal }
    try {
      return await copy({ hostDirectory, target, known: this.#known })
    } catch (error) {
      // What failed for the signal fails in many ways.
      signal.throwIfAborted()
      throw error
    }
  }
}
