import type { CodeBlock } from '../code-block.ts'
import type { BlockResult, MimeBundle, Notice, OutputFile } from '../code-result.ts'
import type { WorkDirectory } from '../work-directory/work-directory.ts'
import type { ResultOptions } from './driver.ts'
import type { EventQueue } from './event-queue.ts'
import type { EngineOptions } from './options.ts'
import { BlockOutput, type StreamName } from './output/block-output.ts'
import { redactBundle, redactNotice } from './output/redactor.ts'
import { RichResults } from './rich-results.ts'

/** What is known about a block only at its end. */
export type BlockEnd = Pick<BlockResult, 'status' | 'exitCode'> & {
  readonly durationMs?: number
  readonly file?: string
  readonly files?: readonly OutputFile[]
}

export interface BlockReportOptions {
  readonly block: CodeBlock
  readonly index: number
  readonly events: EventQueue
  readonly options: EngineOptions
  /** Where pictures and documents among the results are saved. */
  readonly workDirectory?: WorkDirectory | undefined
  readonly onOutputLimit?: () => void
}

/** Everything that one block says, on its way to the events and into its result. */
export class BlockReport {
  readonly #block: CodeBlock
  readonly #index: number
  readonly #events: EventQueue
  readonly #output: BlockOutput
  readonly #notices: Notice[] = []
  readonly #results: RichResults
  #closed = false
  #finished = false

  constructor({
    block,
    index,
    events,
    options,
    workDirectory,
    onOutputLimit = () => {},
  }: BlockReportOptions) {
    this.#index = index
    this.#events = events
    this.#output = new BlockOutput({
      maxOutputBytes: options.maxOutputBytes,
      redact: options.redact,
      onOutput: (stream, bytes) => events.pushOutput(stream, index, bytes),
      onLimit: onOutputLimit,
    })
    this.#results = new RichResults(workDirectory, (notice) => this.notice(notice))
    const code = this.#output.redact(block.code)
    this.#block = code === block.code ? block : { ...block, code }
    events.push({ type: 'block-start', index, block: this.#block })
  }

  write(stream: StreamName, chunk: Uint8Array): void | Promise<void> {
    if (!this.#closed) return this.#output.write(stream, chunk)
  }

  notice(given: Notice): void {
    if (this.#finished) return
    const notice = redactNotice(given, (text) => this.#output.redact(text))
    this.#notices.push(notice)
    this.#events.push({ type: 'notice', index: this.#index, notice })
  }

  /** How the place is made ready for the block, told as the start of the place is: the result does not have it. */
  progress(notice: Notice): void {
    if (this.#finished) return
    this.#events.push({ type: 'notice', notice: redactNotice(notice, (text) => this.#output.redact(text)) })
  }

  result(bundle: MimeBundle, { displayId }: ResultOptions = {}): void {
    if (this.#closed) return
    const result = redactBundle(bundle, (text) => this.#output.redact(text))
    const { text, kept } = this.#results.add(result, displayId)
    if (text !== undefined) this.#output.addLine(text)
    if (!kept) return
    const name = displayId === undefined ? {} : { displayId }
    this.#events.pushResult({ type: 'result', index: this.#index, result, ...name })
  }

  clear(): void {
    if (this.#closed) return
    this.#output.clear()
    this.#results.clear()
    this.#events.pushResult({ type: 'clear', index: this.#index })
  }

  /** Resolves when the files of its results are written; what has no file although `output` names it is said there. */
  async resultsSaved(): Promise<void> {
    for (const { path, reason } of await this.#results.saved()) {
      this.#output.addLine(`(${path} is not there: it could not be saved. ${reason})`)
    }
  }

  /** The program is being stopped and must not wait for a slow reader any more. */
  releaseWriter(): void {
    this.#events.release()
  }

  /** A line of Fenced's own in what the model reads. */
  say(line: string): void {
    this.#output.addLine(line)
  }

  /** The block is run once more: nothing of what it wrote or showed before counts. */
  startOver(): void {
    this.#closed = false
    this.clear()
  }

  /** The program's streams have ended; what an abandoned driver still writes is not taken. */
  close(): void {
    this.#output.end()
    this.#closed = true
  }

  /** What both streams hold so far. */
  get text(): string {
    return this.#output.summary().output
  }

  /** What the program has said about its failure so far. */
  get errorText(): string {
    return this.#output.summary().stderr
  }

  finish({ status, exitCode, file, files = [], durationMs = 0 }: BlockEnd): BlockResult {
    this.#finished = true
    // A model reads `output` only, so it must find there why its program did not go well.
    if (status !== 'ok' && status !== 'skipped') {
      this.#output.addLostReason()
      for (const { message } of this.#notices) this.#output.addLine(message)
    }
    const result: BlockResult = {
      block: this.#block,
      status,
      exitCode,
      ...this.#output.summary(),
      results: this.#results.all,
      ...(file === undefined ? {} : { file: this.#output.redact(file) }),
      files,
      notices: this.#notices,
      durationMs,
    }
    for (const made of files) this.#events.push({ type: 'file', index: this.#index, file: made })
    this.#events.push({ type: 'block-end', index: this.#index, result })
    return result
  }
}
