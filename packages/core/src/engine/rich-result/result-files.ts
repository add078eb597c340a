import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import type { MimeBundle } from '../../code-result.ts'
import type { WorkDirectory } from '../../work-directory/work-directory.ts'
import { bytesOf, savedKind } from './kinds.ts'

/** A representation that stands in a file. */
export interface SavedRepresentation {
  readonly mimeType: string
  readonly label: string
  /** Absolute, as the code sees it. */
  readonly path: string
}

/**
 * Saves pictures and documents among the results of a block. A file is named by its content, so that the same
 * picture, shown twice, is one file. Names are known at once; the writing goes on.
 */
export class ResultFiles {
  readonly #workDirectory: WorkDirectory | undefined
  readonly #onFailure: (error: unknown) => void
  readonly #writes = new Map<string, Promise<void>>()

  constructor(workDirectory: WorkDirectory | undefined, onFailure: (error: unknown) => void) {
    this.#workDirectory = workDirectory
    this.#onFailure = onFailure
  }

  save(bundle: MimeBundle): readonly SavedRepresentation[] {
    const workDirectory = this.#workDirectory
    if (workDirectory === undefined) return []
    return Object.entries(bundle).flatMap(([mimeType, value]) => {
      const kind = savedKind(mimeType)
      const bytes = kind === undefined ? undefined : bytesOf(kind, value)
      if (kind === undefined || bytes === undefined) return []
      const name = `result-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.${kind.extension}`
      this.#write(workDirectory, name, bytes)
      return [{ mimeType, label: kind.label, path: posix.join(workDirectory.path, name) }]
    })
  }

  /** Resolves when everything is written or has failed. */
  async settled(): Promise<void> {
    await Promise.all(this.#writes.values())
  }

  #write(workDirectory: WorkDirectory, name: string, bytes: Uint8Array): void {
    if (this.#writes.has(name)) return
    const write = workDirectory.write(name, bytes).then(() => {}, this.#onFailure)
    this.#writes.set(name, write)
  }
}
