import { FileRefusedError } from '@fenced/core/driver'
import type { ArchiveEntry, FileEntry, FileMetadata, HardLinkEntry } from './archive-entry.ts'
import type { CopyBudget } from './copy-budget.ts'
import type { SkippedEntries } from './copy-report.ts'
import { hashOf } from './hashed-content.ts'
import { HostDirectory } from './host-directory.ts'
import { ignoredPart, parentOf } from './names.ts'
import type { KnownFile, Sides } from './sides.ts'

/** The budget of one copy out of the sandbox, and the report of the copy. */
export interface CopyLimits {
  readonly budget: CopyBudget
  readonly skipped: SkippedEntries
}

/** What became of an entry: it was of use, it was left, or its content is new and has to be fetched again, alone. */
export type Verdict = 'taken' | 'left' | 'to be fetched'

/** Takes the entries of the sandbox's archives, one after the other, to this machine. */
export class EntryReceiver {
  readonly #known: Sides['known']
  readonly #limits: CopyLimits
  readonly #host: HostDirectory
  readonly #present = new Set<string>()
  readonly #toBeFetched = new Set<string>()

  constructor({ hostDirectory, known }: Sides, limits: CopyLimits) {
    this.#known = known
    this.#limits = limits
    this.#host = new HostDirectory(hostDirectory, known)
  }

  /** @param isNew - whether its content is known to be new. */
  async receive(entry: ArchiveEntry, { isNew }: { isNew: boolean }): Promise<Verdict> {
    const { name } = entry
    if (ignoredPart(entry.kind === 'directory' ? name : parentOf(name)) !== undefined) return 'left'
    if (entry.kind !== 'other') this.#present.add(name)
    if (entry.kind === 'other' || entry.kind === 'refused') return this.#leave(entry, entry.why)
    if (this.#known.get(name)?.kind === 'unsure') return 'left'
    if (!this.#host.canName(name)) return this.#leave(entry, 'has a path that is too long')
    try {
      if (entry.kind === 'file') return await this.#receiveFile(entry, isNew)
      if (entry.kind === 'hard link') return this.#receiveHardLink(entry)
      return await this.#receiveDirectory(entry)
    } catch (error) {
      if (FileRefusedError.isInstance(error)) return this.#leave(entry, `was refused: ${error.message}`)
      throw error
    }
  }

  /** What is known and was not among the entries. */
  missing(): string[] {
    return [...this.#known.keys()].filter((name) => !this.#present.has(name))
  }

  /** Removes what is missing in the sandbox. */
  async remove(missing: readonly string[]): Promise<void> {
    await this.#host.remove(missing)
  }

  async #receiveDirectory(entry: ArchiveEntry): Promise<Verdict> {
    const { name } = entry
    if (name === '' || this.#known.get(name)?.kind === 'directory') return 'taken'
    if (!this.#limits.budget.bring(0)) return this.#skipOverBudget(entry)
    await this.#host.makeDirectory(name)
    return 'taken'
  }

  async #receiveFile(entry: FileEntry, isNew: boolean): Promise<Verdict> {
    const { name, look, content } = entry
    const { budget } = this.#limits
    const known = this.#knownFile(name)
    if (!isNew && known !== undefined && hasSameMetadata(known.look, look)) {
      // The directory could not be copied, so its content does not matter.
      if (look.sizeBytes > budget.maxBytes) return 'left'
      // A program can write again and set the size and the time as they were.
      return (await hashOf(content)) === known.hash ? 'taken' : this.#fetch(name)
    }
    if (!budget.bring(look.sizeBytes)) return this.#skipOverBudget(entry)
    await this.#host.writeFile(entry)
    return 'taken'
  }

  /** Fetched alone it comes with its content. Most often it is as it was. */
  #receiveHardLink({ name, target }: HardLinkEntry): Verdict {
    const [own, other] = [this.#knownFile(name), this.#knownFile(target)]
    const isAsBefore = own?.hash === other?.hash && own?.look.mode === other?.look.mode
    return own !== undefined && isAsBefore && !this.#toBeFetched.has(target) ? 'taken' : this.#fetch(name)
  }

  #fetch(name: string): Verdict {
    this.#toBeFetched.add(name)
    return 'to be fetched'
  }

  #skipOverBudget(entry: ArchiveEntry): Verdict {
    const { maxBytes } = this.#limits.budget
    return this.#leave(entry, `is more than the rest of the ${maxBytes} bytes that are copied at once`)
  }

  #leave({ name, version }: ArchiveEntry, why: string): Verdict {
    this.#limits.skipped.add({ name, why }, version)
    return 'left'
  }

  #knownFile(name: string): KnownFile | undefined {
    const known = this.#known.get(name)
    return known?.kind === 'file' ? known : undefined
  }
}

function hasSameMetadata(one: FileMetadata, other: FileMetadata): boolean {
  return (
    one.sizeBytes === other.sizeBytes &&
    one.modifiedSeconds === other.modifiedSeconds &&
    one.mode === other.mode
  )
}
