import type { NoticeCode } from '@fenced/errors'
import { sizeOfData } from '../../running/size-of-data.ts'
import type { MimeBundle, Notice, RichResult } from '../../vocabulary/code-result.ts'
import type { HostWorkDirectory } from '../../work-directory/host-work-directory.ts'
import { ResultFiles, type SavedRepresentation, textOf, type UnsavedFile } from './result-files.ts'

/** Limits for the data of one block, in bytes and results. Data beyond them is only in files. */
const maxBytes = 64 * 2 ** 20
const maxResults = 10_000
/** Memory of a result beside its data, in bytes. */
const resultBytes = 256
/** The maximum number of MIME types of one result. */
const maxTypes = 100

interface KeptResult {
  readonly result: RichResult
  /** Size of the bundle and of the name of its display. */
  readonly sizeBytes: number
  readonly saved: readonly SavedRepresentation[]
}

/** The rich results of one block: kept as data, saved as files, said in words. */
export class RichResults {
  readonly #files: ResultFiles
  readonly #notice: (notice: Notice) => void
  /** In the order in which they were shown first; a display by its name. */
  readonly #kept = new Map<string | symbol, KeptResult>()
  /** The files of results that are not kept, by name. */
  readonly #savedOnly = new Map<string, SavedRepresentation>()
  #sizeBytes = 0
  readonly #told = new Set<string>()

  constructor(workDirectory: HostWorkDirectory | undefined, notice: (notice: Notice) => void) {
    this.#notice = notice
    this.#files = new ResultFiles(workDirectory)
  }

  get all(): readonly RichResult[] {
    return [...this.#kept.values()].map(({ result }) => result)
  }

  /** `text` is the part for the model; `kept` is the part among the data. */
  add(
    given: Omit<RichResult, 'kind'>,
    displayId: string | undefined,
  ): { text: string | undefined; kept: MimeBundle | undefined } {
    const bundle = this.#withFewTypes(given.data)
    const key = displayId ?? Symbol('result')
    const before = this.#kept.get(key)
    const { saved, isFull } = this.#files.save({
      bundle,
      displayId,
      ...(before === undefined ? {} : { replaced: before.saved }),
    })
    if (isFull) this.#tell('files-left-out', filesLeftOut)
    // A display that is empty until it is updated has nothing to be read.
    const text = Object.keys(bundle).length === 0 ? undefined : resultText(bundle, saved)
    const sizeBytes = resultBytes + sizeOfData([bundle, given.metadata]) + Buffer.byteLength(displayId ?? '')
    const total = this.#sizeBytes + sizeBytes - (before?.sizeBytes ?? 0)
    if (total > maxBytes || (before === undefined && this.#kept.size >= maxResults)) {
      this.#tell('results-left-out', resultsLeftOut)
      this.#keepFilesOnly(saved)
      return { text, kept: undefined }
    }
    this.#sizeBytes = total
    // An update says nothing of the value that it changes.
    const { kind = given.executionCount === undefined ? 'display' : 'value', executionCount } =
      before?.result ?? {}
    const counted = given.executionCount ?? executionCount
    const result = {
      ...given,
      kind,
      data: bundle,
      ...(counted === undefined ? {} : { executionCount: counted }),
    }
    this.#kept.set(key, { result, sizeBytes, saved })
    if (before !== undefined) this.#files.release(before.saved)
    return { text, kept: bundle }
  }

  clear(): void {
    const kept = [...this.#kept.values()].flatMap(({ saved }) => saved)
    this.#files.release([...this.#savedOnly.values(), ...kept])
    this.#savedOnly.clear()
    this.#kept.clear()
    this.#sizeBytes = 0
  }

  /** Resolves when the files are written, with those that could not be. */
  async saved(): Promise<readonly UnsavedFile[]> {
    const unsaved = await this.#files.settled()
    for (const { path, reason, data } of unsaved) {
      const message = `A result could not be saved: ${reason}`
      this.#notice({ code: 'result-not-saved', message, data: { reason, ...data, path } })
    }
    return unsaved
  }

  #withFewTypes(bundle: MimeBundle): MimeBundle {
    const entries = Object.entries(bundle)
    if (entries.length <= maxTypes) return bundle
    this.#tell('results-left-out', typesLeftOut)
    return Object.fromEntries(entries.slice(0, maxTypes))
  }

  /** A picture that is shown again and again is one file, and one entry. */
  #keepFilesOnly(saved: readonly SavedRepresentation[]): void {
    this.#files.release(saved.filter(({ name }) => this.#savedOnly.has(name)))
    for (const representation of saved) this.#savedOnly.set(representation.name, representation)
  }

  #tell(code: NoticeCode, message: string): void {
    if (this.#told.has(message)) return
    this.#told.add(message)
    this.#notice({ code, message })
  }
}

const resultsLeftOut = `The block showed more rich results than Fenced keeps per block (${maxResults / 1_000} thousand, ${maxBytes / 2 ** 20} MiB). The later ones are not in \`results\`. Pictures and documents were saved as long as there was room for them.`
const typesLeftOut = `The block showed a result with more than ${maxTypes} MIME types: the later types were left out.`
const filesLeftOut =
  'The block showed more pictures and documents than Fenced saves per block (200 files, 256 MiB). The later ones have no file.'

/** Returns the text of a rich result for a model, with the path of each picture and document. */
function resultText(bundle: MimeBundle, saved: readonly SavedRepresentation[]): string {
  const lines = saved.map(({ label, path }) => `${label} data saved to ${path}`)
  const text = readableText(bundle, saved.length > 0)
  if (text !== undefined) lines.unshift(text)
  if (lines.length > 0) return lines.join('\n')
  const types = Object.keys(bundle).map((type) => type.slice(0, longestType))
  const more = types.length > mostNamedTypes ? ', …' : ''
  return `A result of the type ${types.slice(0, mostNamedTypes).join(', ')}${more}, which is kept as data.`
}

/** Limits for MIME types in the text for a model: a program decides their number and length. */
const mostNamedTypes = 10
const longestType = 255

/** Data of a page or a chart would flood a model: only what is meant to be read is shown. */
function readableText(bundle: MimeBundle, saved: boolean): string | undefined {
  const plain = textOf(bundle['text/plain'])
  if (plain !== undefined && !isPlaceholder(plain)) return plain
  const written = textOf(bundle['text/markdown']) ?? textOf(bundle['text/latex'])
  return written ?? (saved ? undefined : plain)
}

/** `<Figure size 640x480 with 1 Axes>`: it says that there is something to be seen, and not what. */
function isPlaceholder(text: string): boolean {
  return /^<[^\n]*>$/.test(text.trim())
}
