import type { MimeBundle, Notice } from '../code-result.ts'
import type { NoticeCode } from '../codes.ts'
import type { WorkDirectory } from '../work-directory/work-directory.ts'
import { ResultFiles, type SavedRepresentation, textOf, type UnsavedFile } from './result-files.ts'

/** How much one block may hand over as data, in UTF-16 code units; what is beyond stands in files only. */
const maxLength = 64 * 2 ** 20

interface KeptResult {
  readonly bundle: MimeBundle
  readonly text: string
  readonly saved: readonly SavedRepresentation[]
}

/** The rich results of one block: kept as data, saved as files, said in words. */
export class RichResults {
  readonly #files: ResultFiles
  readonly #notice: (notice: Notice) => void
  /** In the order in which they were shown first; a display by its name. */
  readonly #kept = new Map<string | symbol, KeptResult>()
  /** The files of results that are not kept. */
  #savedOnly: SavedRepresentation[] = []
  #length = 0
  readonly #told = new Set<string>()

  constructor(workDirectory: WorkDirectory | undefined, notice: (notice: Notice) => void) {
    this.#notice = notice
    this.#files = new ResultFiles(workDirectory)
  }

  get all(): readonly MimeBundle[] {
    return [...this.#kept.values()].map(({ bundle }) => bundle)
  }

  /** `text` is what the model is to read of it, unless that was said already; `kept` whether it is among the data. */
  add(bundle: MimeBundle, displayId: string | undefined): { text: string | undefined; kept: boolean } {
    const key = displayId ?? Symbol('result')
    const before = this.#kept.get(key)
    const { saved, isFull } = this.#files.save({
      bundle,
      displayId,
      ...(before === undefined ? {} : { replaced: before.saved }),
    })
    if (isFull) this.#tell('files-left-out', filesLeftOut)
    const text = resultText(bundle, saved)
    const growth = lengthOf(bundle) - (before === undefined ? 0 : lengthOf(before.bundle))
    if (this.#length + growth > maxLength) {
      this.#tell('results-left-out', resultsLeftOut)
      this.#savedOnly.push(...saved)
      return { text, kept: false }
    }
    this.#length += growth
    this.#kept.set(key, { bundle, text, saved })
    if (before !== undefined) this.#files.release(before.saved)
    return { text: before?.text === text ? undefined : text, kept: true }
  }

  clear(): void {
    this.#files.release([...this.#savedOnly, ...[...this.#kept.values()].flatMap(({ saved }) => saved)])
    this.#savedOnly = []
    this.#kept.clear()
    this.#length = 0
  }

  /** Resolves when the files are written, with those that could not be. */
  async saved(): Promise<readonly UnsavedFile[]> {
    const unsaved = await this.#files.settled()
    for (const { reason } of unsaved) {
      this.#notice({ code: 'result-not-saved', message: `A result could not be saved: ${reason}` })
    }
    return unsaved
  }

  #tell(code: NoticeCode, message: string): void {
    if (this.#told.has(code)) return
    this.#told.add(code)
    this.#notice({ code, message })
  }
}

const resultsLeftOut = `The block showed more than ${maxLength / 2 ** 20} MiB of rich results: the later ones are not among \`results\`. Pictures and documents were saved as far as they have room.`
const filesLeftOut =
  'The block showed more pictures and documents than are saved of one block (200 files, 256 MiB): the later ones have no file.'

/** How much a result is, in UTF-16 code units. */
export function lengthOf(bundle: MimeBundle): number {
  return Object.values(bundle).reduce(
    (sum: number, value) => sum + (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).length,
    0,
  )
}

/** What a model reads of a rich result: its text, and where each picture and document is. */
function resultText(bundle: MimeBundle, saved: readonly SavedRepresentation[]): string {
  const lines = saved.map(({ label, path }) => `${label} data saved to ${path}`)
  const text = readableText(bundle, saved.length > 0)
  if (text !== undefined) lines.unshift(text)
  if (lines.length > 0) return lines.join('\n')
  return `A result of the type ${Object.keys(bundle).join(', ')}, which is kept as data.`
}

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
