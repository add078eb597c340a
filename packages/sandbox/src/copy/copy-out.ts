import { posix } from 'node:path'
import { FencedError } from '@fenced/core'
import { isGone } from '../exec/exec-target.ts'
import { archiveEntry, isSymbolicLink } from './archive-entry.ts'
import type { CopyReport } from './copy-report.ts'
import { getArchive } from './get-archive.ts'
import { isAnyInTarget, listInTarget } from './look-in-target.ts'
import { ancestorsOf, ignoredPart, isWithin, outermost, parentOf } from './names.ts'
import { type CopyLimits, EntryReceiver } from './receive-entry.ts'
import type { Sides } from './sides.ts'

/** A part of the directory that is fetched as a separate archive. */
interface Part {
  readonly name: string
  /** A file whose content is known to be new. */
  readonly isNew: boolean
}

/** Requesting a further archive takes about as long as reading this number of bytes. */
const requestCostBytes = 10_000_000

/** One copy of what the code made, changed and removed in the sandbox. */
export class CopyOut {
  readonly #sides: Sides
  readonly #limits: CopyLimits
  readonly #receiver: EntryReceiver
  /** The whole directory, and then what its archive left open. */
  readonly #parts: Part[] = [{ name: '', isNew: false }]
  readonly #seen = new Set<string>()
  #isComplete = true

  constructor(sides: Sides, limits: CopyLimits) {
    this.#sides = sides
    this.#limits = limits
    this.#receiver = new EntryReceiver(sides, limits)
  }

  async run(): Promise<CopyReport> {
    this.#limits.skipped.begin()
    for (const part of this.#parts) await this.#receivePart(part)
    // It is the proof that this is the directory, before anything counts as removed.
    if (!this.#seen.has('')) throw withoutDirectory()
    const missing = this.#receiver.missing()
    if (this.#isComplete && (await this.#areGone(missing))) await this.#receiver.remove(missing)
    return this.#limits.skipped.report(this.#isComplete)
  }

  /** Podman also ends an archive normally after an error, such as a path that is too long. */
  async #areGone(missing: readonly string[]): Promise<boolean> {
    const unseen = outermost(new Set(missing.filter((name) => !this.#seen.has(name))))
    this.#isComplete = (await isAnyInTarget(this.#sides.target, unseen)) === false
    return this.#isComplete
  }

  async #receivePart(part: Part): Promise<void> {
    try {
      const open = await this.#receive(part)
      if (open.length > 0) await this.#requestRemaining(open)
    } catch (error) {
      // The sandbox, which the next block finds out.
      if (part.name === '' || !isGone(error)) throw error
      this.#isComplete = false
    }
  }

  /** @returns the directories that have more in them, when the archive was not read to its end. */
  async #receive(part: Part): Promise<string[]> {
    const { target } = this.#sides
    const { budget } = this.#limits
    let isThere = false
    for await (const raw of getArchive(target, posix.join(target.path, part.name))) {
      if (budget.isUsedUp) {
        this.#isComplete = false
        return []
      }
      isThere = true
      const entry = archiveEntry(raw, part.name)
      this.#seen.add(entry.name)
      const verdict = await this.#receiver.receive(entry, part)
      if (verdict === 'to be fetched') this.#parts.push({ name: entry.name, isNew: true })
      if (verdict !== 'left') continue
      const open = openDirectories(entry.name, part.name)
      if (!this.#isWorthReading(raw.header.size, open)) return open
      budget.leave(raw.header.size)
    }
    // Removed since it was seen.
    if (!isThere) this.#isComplete = false
    return []
  }

  /** Whether to read bytes that are not wanted, for the sake of what comes after them, rather than ask for that. */
  #isWorthReading(sizeBytes: number, open: readonly string[]): boolean {
    if (sizeBytes <= 2 * requestCostBytes) return true
    if (!this.#limits.budget.mayLeave(sizeBytes)) return false
    const toAskFor = [...this.#sides.known.keys()].filter(
      (name) => open.includes(parentOf(name)) && !this.#seen.has(name),
    )
    return sizeBytes <= (2 + toAskFor.length) * requestCostBytes
  }

  /** Docker starts no command in a container while it sends an archive of it: that has to be closed by now. */
  async #requestRemaining(directories: readonly string[]): Promise<void> {
    const listed = await listInTarget(this.#sides.target, directories)
    if (listed === undefined) this.#isComplete = false
    for (const { name, linksTo } of listed ?? []) {
      if (this.#seen.has(name)) continue
      // Podman would send what a link leads to.
      if (linksTo !== undefined) this.#limits.skipped.add({ name, why: isSymbolicLink }, linksTo)
      else this.#parts.push({ name, isNew: false })
    }
  }
}

/** The directories of a part that are not at their end when its archive is left at an entry. */
function openDirectories(name: string, part: string): string[] {
  const last = ignoredPart(parentOf(name)) ?? name
  return ['', ...ancestorsOf(last)].filter((directory) => isWithin(directory, part))
}

function withoutDirectory(): FencedError {
  return new FencedError({
    code: 'ENGINE_FAILED',
    message:
      'The archive of the working directory in the sandbox has no entry for the directory, so no file was copied. Check the engine with `docker info`.',
  })
}
