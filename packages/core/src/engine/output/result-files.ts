import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { errorMessage, FencedError } from '@fenced/errors'
import { bytesOfBase64 } from '@fenced/shared'
import type { MimeBundle } from '../../vocabulary/code-result.ts'
import type { HostWorkDirectory } from '../../work-directory/host-work-directory.ts'

/** Limits for the files of the results of one block, and for their bytes. */
const maxFiles = 200
const maxBytes = 256 * 2 ** 20

/** A representation in a file. */
export interface SavedRepresentation {
  readonly name: string
  readonly mimeType: string
  readonly label: string
  /** Absolute, as the code sees it. */
  readonly path: string
}

/** Input of {@link ResultFiles.save}. */
export interface ResultToSave {
  readonly bundle: MimeBundle
  readonly displayId: string | undefined
  /** The files of the previous result of this display. */
  readonly replaced?: readonly SavedRepresentation[]
}

/** A file that is not there although it was to be. */
export interface UnsavedFile extends WriteFailure {
  readonly path: string
}

interface WriteFailure {
  readonly reason: string
  /** The values in `reason`, by name. */
  readonly data: Readonly<Record<string, string>>
}

interface ResultFile {
  readonly path: string
  /** Whether it was there before this block. */
  readonly isOlder: boolean
  sizeBytes: number
  uses: number
  /** The next content to write; only the last version of a redrawn display. */
  next: Uint8Array | undefined
  writing: Promise<void> | undefined
  failure: WriteFailure | undefined
}

/**
 * Saves pictures and documents among the results of a block. A file is named by its content, so that the same
 * picture, shown twice, is one file; a display keeps its file when it is redrawn. Names are known at once; the files are
 * written later. A file without a result is removed.
 */
export class ResultFiles {
  readonly #workDirectory: HostWorkDirectory | undefined
  readonly #files = new Map<string, ResultFile>()
  readonly #removals = new Set<Promise<void>>()
  #sizeBytes = 0

  constructor(workDirectory: HostWorkDirectory | undefined) {
    this.#workDirectory = workDirectory
  }

  /** `isFull` when a representation was not saved, because there are too many or too great ones already. */
  save(result: ResultToSave): { saved: readonly SavedRepresentation[]; isFull: boolean } {
    const workDirectory = this.#workDirectory
    const saved: SavedRepresentation[] = []
    let isFull = false
    for (const [mimeType, value] of workDirectory === undefined ? [] : Object.entries(result.bundle)) {
      const kind = savedKind(mimeType)
      const bytes = kind === undefined ? undefined : bytesOf(kind, value)
      if (workDirectory === undefined || kind === undefined || bytes === undefined) continue
      const name =
        result.replaced?.find((before) => before.mimeType === mimeType)?.name ??
        `result-${hashOf(bytes, result.displayId)}.${kind.extension}`
      if (this.#keep(workDirectory, name, bytes)) {
        saved.push({ name, mimeType, label: kind.label, path: posix.join(workDirectory.path, name) })
      } else isFull = true
    }
    return { saved, isFull }
  }

  /** Removes a result from its files. */
  release(saved: readonly SavedRepresentation[]): void {
    for (const { name } of saved) {
      const file = this.#files.get(name)
      if (file === undefined || --file.uses > 0) continue
      this.#files.delete(name)
      this.#sizeBytes -= file.sizeBytes
      file.next = undefined
      const removal = this.#removeUnlessOlder(name, file).finally(() => this.#removals.delete(removal))
      this.#removals.add(removal)
    }
  }

  /** Resolves with what could not be saved, when everything is written or has failed. */
  async settled(): Promise<readonly UnsavedFile[]> {
    await Promise.all([...this.#removals, ...[...this.#files.values()].map(({ writing }) => writing)])
    return [...this.#files.values()].flatMap(({ path, failure }) =>
      failure === undefined ? [] : [{ path, ...failure }],
    )
  }

  #keep(workDirectory: HostWorkDirectory, name: string, bytes: Uint8Array): boolean {
    const known = this.#files.get(name)
    const growth = bytes.length - (known?.sizeBytes ?? 0)
    if ((known === undefined && this.#files.size >= maxFiles) || this.#sizeBytes + growth > maxBytes)
      return false
    const file = known ?? newFile(workDirectory, name)
    this.#files.set(name, file)
    this.#sizeBytes += growth
    file.sizeBytes = bytes.length
    file.uses++
    file.next = bytes
    file.writing ??= this.#write(workDirectory, name, file)
    return true
  }

  async #write(workDirectory: HostWorkDirectory, name: string, file: ResultFile): Promise<void> {
    while (file.next !== undefined) {
      const bytes = file.next
      file.next = undefined
      file.failure = await workDirectory.write(name, bytes).then(() => undefined, failureOf)
    }
    file.writing = undefined
  }

  async #removeUnlessOlder(name: string, file: ResultFile): Promise<void> {
    await file.writing
    // The same content may have been shown again meanwhile.
    if (!file.isOlder && !this.#files.has(name)) await this.#workDirectory?.remove(name).catch(() => {})
  }
}

function newFile(workDirectory: HostWorkDirectory, name: string): ResultFile {
  const isOlder = workDirectory.has(name)
  const path = posix.join(workDirectory.path, name)
  return { path, isOlder, sizeBytes: 0, uses: 0, next: undefined, writing: undefined, failure: undefined }
}

/** A display's file changes, so no other result shares it. */
function hashOf(bytes: Uint8Array, displayId: string | undefined): string {
  const hash = createHash('sha256').update(bytes)
  if (displayId !== undefined) hash.update(`\0${displayId}`)
  return hash.digest('hex').slice(0, 16)
}

/** The file format of a representation. */
interface SavedKind {
  readonly extension: string
  /** Its name in the text for the model: `Image data saved to …`, as in AutoGen. */
  readonly label: string
  /** Jupyter's messaging protocol carries bytes as base64 and the rest as text or JSON. */
  readonly encoding: 'base64' | 'text' | 'json'
}

/** The saved representations, by MIME type. All others are kept as data only. */
const kinds: Readonly<Record<string, SavedKind>> = {
  'image/png': { extension: 'png', label: 'Image', encoding: 'base64' },
  'image/jpeg': { extension: 'jpg', label: 'Image', encoding: 'base64' },
  'image/gif': { extension: 'gif', label: 'Image', encoding: 'base64' },
  'image/webp': { extension: 'webp', label: 'Image', encoding: 'base64' },
  'image/svg+xml': { extension: 'svg', label: 'Image', encoding: 'text' },
  'application/pdf': { extension: 'pdf', label: 'PDF', encoding: 'base64' },
  'text/html': { extension: 'html', label: 'HTML', encoding: 'text' },
  'text/markdown': { extension: 'md', label: 'Markdown', encoding: 'text' },
  'text/latex': { extension: 'tex', label: 'LaTeX', encoding: 'text' },
  'application/json': { extension: 'json', label: 'JSON', encoding: 'json' },
}

function savedKind(mimeType: string): SavedKind | undefined {
  return Object.hasOwn(kinds, mimeType) ? kinds[mimeType] : undefined
}

/** The bytes of a representation, or `undefined` when they are not what its type promises. */
function bytesOf({ encoding }: SavedKind, value: unknown): Uint8Array | undefined {
  if (encoding === 'json') return value === undefined ? undefined : Buffer.from(`${JSON.stringify(value)}\n`)
  const text = textOf(value)
  if (text === undefined) return undefined
  return encoding === 'base64' ? bytesOfBase64(text) : Buffer.from(text)
}

/** Text, also where a notebook's format splits it into lines. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return Array.isArray(value) && value.every((line) => typeof line === 'string') ? value.join('') : undefined
}

function failureOf(error: unknown): WriteFailure {
  const { data = {} } = FencedError.isInstance(error) ? error : {}
  return { reason: errorMessage(error), data }
}
