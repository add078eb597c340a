import type { MimeBundle, Notice } from '../../code-result.ts'
import type { WorkDirectory } from '../../work-directory/work-directory.ts'
import { ResultFiles } from './result-files.ts'
import { resultText } from './result-text.ts'

/** How much one block may hand over as data, in UTF-16 code units; what is beyond stands in files only. */
const maxLength = 64 * 2 ** 20

interface KeptResult {
  readonly displayId: string | undefined
  readonly bundle: MimeBundle
  readonly text: string
}

/** The rich results of one block: kept as data, saved as files, said in words. */
export class RichResults {
  readonly #files: ResultFiles
  readonly #notice: (notice: Notice) => void
  #kept: KeptResult[] = []
  #length = 0
  #toldLimit = false

  constructor(workDirectory: WorkDirectory | undefined, notice: (notice: Notice) => void) {
    this.#notice = notice
    this.#files = new ResultFiles(workDirectory, (error) => this.#tellUnsaved(error))
  }

  get all(): readonly MimeBundle[] {
    return this.#kept.map(({ bundle }) => bundle)
  }

  /** `text` is what the model is to read of it, unless that was said already; `kept` whether it is among the data. */
  add(bundle: MimeBundle, displayId: string | undefined): { text: string | undefined; kept: boolean } {
    const text = resultText(bundle, this.#files.save(bundle))
    const at = displayId === undefined ? -1 : this.#kept.findIndex((result) => result.displayId === displayId)
    const replaced = this.#kept[at]
    const length = lengthOf(bundle) - (replaced === undefined ? 0 : lengthOf(replaced.bundle))
    if (this.#length + length > maxLength) {
      this.#tellLimit()
      return { text, kept: false }
    }
    this.#length += length
    if (replaced === undefined) this.#kept.push({ displayId, bundle, text })
    else this.#kept[at] = { displayId, bundle, text }
    return { text: replaced?.text === text ? undefined : text, kept: true }
  }

  clear(): void {
    this.#kept = []
    this.#length = 0
  }

  saved(): Promise<void> {
    return this.#files.settled()
  }

  #tellLimit(): void {
    if (this.#toldLimit) return
    this.#toldLimit = true
    const message = `The block showed more than ${maxLength / 2 ** 20} MiB of rich results: the later ones are not among \`results\`. Pictures and documents were saved all the same.`
    this.#notice({ code: 'results-left-out', message })
  }

  #tellUnsaved(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    this.#notice({ code: 'result-not-saved', message: `A result could not be saved: ${reason}` })
  }
}

function lengthOf(bundle: MimeBundle): number {
  return Object.values(bundle).reduce(
    (sum: number, value) => sum + (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).length,
    0,
  )
}
