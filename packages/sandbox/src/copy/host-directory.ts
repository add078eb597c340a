import { buffer } from 'node:stream/consumers'
import type { HostWorkDirectory } from '@fenced/core/driver'
import type { FileEntry } from './archive-entry.ts'
import { HashedContent } from './hashed-content.ts'
import type { KnownEntries } from './sides.ts'

/** The directory on this machine, as a copy out of the sandbox changes it. Only what is known there is removed. */
export class HostDirectory {
  readonly #directory: HostWorkDirectory
  readonly #known: KnownEntries

  constructor(directory: HostWorkDirectory, known: KnownEntries) {
    this.#directory = directory
    this.#known = known
  }

  /** Whether this system can open each part of the path. */
  canName(name: string): boolean {
    return Buffer.byteLength(`${this.#directory.hostPath}/${name}`) < maxPathBytes
  }

  async makeDirectory(name: string): Promise<void> {
    if (this.#known.has(name)) await this.remove([name])
    await this.#directory.makeDirectory(name)
    this.#known.set(name, { kind: 'directory' })
  }

  /** Writes a file, unless its content turns out to be the known one. */
  async writeFile({ name, look, content }: FileEntry): Promise<void> {
    const before = this.#known.get(name)
    if (before?.kind === 'directory') await this.#removeTree(name)
    const known = before?.kind === 'file' ? before : undefined
    const hashed = new HashedContent(content)
    let hash = ''
    async function* unlessKnown(): AsyncGenerator<Buffer> {
      yield* hashed
      hash = hashed.digest()
      if (hash === known?.hash && look.mode === known.look.mode) throw contentIsKnown
    }
    try {
      // A small file is cheaper to write when all of it is here.
      const source = look.sizeBytes > smallBytes ? unlessKnown() : await buffer(unlessKnown())
      await this.#directory.write(name, source, { mode: look.mode | ownerCanUse })
    } catch (error) {
      if (error !== contentIsKnown || known === undefined) throw error
      this.#known.set(name, { ...known, look })
      return
    }
    const written = this.#directory.entry(name)
    const hostVersion = written?.kind === 'file' ? written.version : ''
    this.#known.set(name, { kind: 'file', look, hash, hostVersion })
  }

  /** Removes files that the sandbox no longer has, except files that were changed on this machine meanwhile. */
  async remove(names: Iterable<string>): Promise<void> {
    // Backwards, a directory comes after what is in it.
    for (const name of [...names].sort().reverse()) {
      const known = this.#known.get(name)
      const entry = this.#directory.entry(name)
      if (known?.kind === 'directory') await this.#directory.removeEmptyDirectory(name)
      else if (known?.kind === 'file' && entry?.kind === 'file' && entry.version === known.hostVersion) {
        await this.#directory.remove(name)
      }
      this.#known.delete(name)
    }
  }

  /** Makes room for something else of the same name. */
  async #removeTree(name: string): Promise<void> {
    const inside = [...this.#known.keys()].filter((other) => other.startsWith(`${name}/`))
    await this.remove([name, ...inside])
  }
}

const smallBytes = 1024 * 1024

/** This process reads and replaces its files, also those that the code has locked. */
const ownerCanUse = 0o600

/** Thrown at the end of a content, so that nothing is written. */
const contentIsKnown = new Error('The content is known.')

/** PATH_MAX, with the zero at the end (limits.h). */
const maxPathBytes = process.platform === 'darwin' ? 1024 : 4096
