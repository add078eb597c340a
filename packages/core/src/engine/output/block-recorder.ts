import { visible } from '@fenced/errors/text'
import type { CodeBlock } from '@fenced/markdown'
import { ToolLog } from '../../host-tools/tool-log.ts'
import { ConnectionLog } from '../../network/connection-log.ts'
import { knownOptions } from '../../options/known-options.ts'
import type { ProgramError } from '../../program-error/program-error.ts'
import type { StreamName } from '../../sandbox/sandbox-process.ts'
import type { BlockResult, MimeBundle, Notice } from '../../vocabulary/code-result.ts'
import type { HostToolCall } from '../../vocabulary/host-tool.ts'
import type { NetworkConnection } from '../../vocabulary/network-connection.ts'
import type { BlockUsage } from '../../vocabulary/usage.ts'
import type { BlockEnd } from '../block-end.ts'
import type { BlockIo, ResultOptions } from '../driver.ts'
import type { EngineContext } from '../engine-context.ts'
import { messageForModel } from '../failures/operator-advice.ts'
import { BlockNotices } from './block-notices.ts'
import { BlockOutput } from './block-output.ts'
import { DisplayLines } from './display-lines.ts'
import type { EventQueue } from './event-queue.ts'
import { redactBlock, redactBundle, redactError, redactNotice, redactValue } from './redactor.ts'
import { RichResults } from './rich-results.ts'

const resultNames = { displayId: true, metadata: true, executionCount: true, isUpdate: true } as const

/** The files in the result of a block. */
export type BlockFiles = Partial<Pick<BlockResult, 'file' | 'files'>>

/** The block that is recorded, and where its events go. */
export interface RecordedBlock {
  readonly block: CodeBlock
  readonly index: number
  readonly events: EventQueue
  readonly hasTools: boolean
}

/**
 * Everything that one block writes, shows and reports, on its way to the events and into its result. It is open from the
 * beginning; `close` ends the output of a program, `restart` opens it for another run, `end` says how the block ended, and
 * `finish` makes the result.
 */
export class BlockRecorder {
  readonly #block: CodeBlock
  readonly #index: number
  readonly #events: EventQueue
  readonly #output: BlockOutput
  readonly #notices = new BlockNotices()
  readonly #results: RichResults
  readonly #displays: DisplayLines
  /** There where the block was given tools. */
  readonly #tools: ToolLog | undefined
  readonly #network: ConnectionLog
  #isOpen = true
  #end: BlockEnd | undefined
  #error: ProgramError | undefined
  #usage: BlockUsage = {}
  #isFinished = false

  /** @param stop - called when there is too much output and the options say that such a program is stopped. */
  constructor(
    { options, driver }: EngineContext,
    { block, index, events, hasTools }: RecordedBlock,
    stop: () => void,
  ) {
    this.#index = index
    this.#events = events
    this.#output = new BlockOutput({
      maxOutputBytes: options.maxOutputBytes,
      redact: options.redact,
      onOutput: (stream, bytes) => events.pushOutput(stream, index, bytes),
      onLimit: options.onOutputLimit === 'kill' ? stop : () => {},
    })
    this.#displays = new DisplayLines(this.#output)
    this.#results = new RichResults(driver.workDirectory, (notice) => this.notice(notice))
    const redact = (text: string) => this.#output.redact(text)
    this.#network = new ConnectionLog(redact)
    if (hasTools) this.#tools = new ToolLog((value) => redactValue(value, redact))
    this.#block = options.redact.length === 0 ? block : redactBlock(block, redact)
    events.push({ type: 'block-start', index, block: this.#block })
  }

  /** Returns the interface of the driver for one run of the program. */
  io(given: Pick<BlockIo, 'signal' | 'ended' | 'tools' | 'readLine' | 'fileHasChanged'>): BlockIo {
    let hasEnded = false
    return {
      ...given,
      ended: () => {
        hasEnded = true
        given.ended()
      },
      hasEnded: () => hasEnded,
      write: (stream, chunk) => this.#write(stream, chunk),
      result: (result, options) => this.#result(result, options),
      clear: () => this.#clear(),
      notice: (notice) => this.notice(notice),
    }
  }

  notice(given: Notice): void {
    if (this.#isFinished) return
    const notice = this.#notices.add(this.#redacted(given))
    if (notice !== undefined) this.#events.push({ type: 'notice', index: this.#index, notice })
  }

  /** The text without the values that are to be hidden. */
  redact(text: string): string {
    return this.#output.redact(text)
  }

  /** How the driver prepares for the block: an event like those of its start, which the result does not have. */
  progress(notice: Notice): void {
    if (!this.#isFinished) this.#events.push({ type: 'notice', notice: this.#redacted(notice) })
  }

  toolCall(call: Omit<HostToolCall, 'durationMs'>): void {
    if (this.#tools === undefined || this.#isFinished) return
    this.#events.push({ type: 'tool-call', index: this.#index, call: this.#tools.begin(call) })
  }

  toolResult(call: HostToolCall): void {
    if (this.#tools === undefined || this.#isFinished) return
    this.#events.push({ type: 'tool-result', index: this.#index, call: this.#tools.end(call) })
  }

  connection(given: NetworkConnection): void {
    if (this.#isFinished) return
    const connection = this.#network.add(given)
    if (connection !== undefined) this.#events.push({ type: 'connection', index: this.#index, connection })
  }

  /** Says what the program could not reach, and which connections are left out. */
  noteConnections(): void {
    for (const notice of this.#network.notices) this.notice(notice)
  }

  /** A line of Fenced's own in what the model reads. */
  addLine(line: string): void {
    this.#output.addLine(line)
  }

  /** Returns the output of a stream so far. */
  textOf(stream: StreamName): string {
    return this.#output.textOf(stream)
  }

  /** Returns the end of the output so far, of one stream or of both, up to a number of bytes. */
  tail(stream: StreamName | 'output', maxBytes: number): string {
    return this.#output.tail(stream, maxBytes)
  }

  /** The program's streams have ended. What an abandoned driver still writes is not taken. */
  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#output.end()
  }

  /** The program is run once more: nothing of what it wrote or showed before counts. */
  restart(): void {
    this.#isOpen = true
    this.#error = undefined
    this.#usage = {}
    this.#clear()
  }

  /** The error that ended the program. */
  failed(error: ProgramError | undefined): void {
    this.#error = error && redactError(error, (text) => this.#output.redact(text))
  }

  /** Adds what the program used. */
  used(usage: BlockUsage | undefined): void {
    this.#usage = { ...this.#usage, ...usage }
  }

  /** Says how the block ended. */
  end(end: BlockEnd): void {
    this.close()
    this.#displays.end()
    this.#end = end
    if (end.notice !== undefined) this.notice(end.notice)
  }

  /** Resolves when the files of its results are written. A line in `output` corrects what could not be saved. */
  async resultsSaved(): Promise<void> {
    for (const { path, reason } of await this.#results.saved()) {
      this.#output.addLine(`(${path} is not there: it could not be saved. ${reason})`)
    }
  }

  finish({ file, files = [] }: BlockFiles): BlockResult {
    if (this.#end === undefined) throw new Error('A block is finished before its end.')
    const { status, exitCode, durationMs = 0 } = this.#end
    this.#isFinished = true
    // A model reads `output` only, so it must find there why its program did not go well, or was not run.
    if (status !== 'ok') {
      this.#output.repeatStderrTail()
      for (const notice of this.#notices.all) this.#output.addLine(messageForModel(notice))
    }
    const result: BlockResult = {
      block: this.#block,
      status,
      exitCode,
      ...this.#output.summary(),
      ...(this.#error === undefined ? {} : { error: this.#error }),
      results: this.#results.all,
      ...(file === undefined ? {} : { file: this.#output.redact(file) }),
      files,
      notices: this.#notices.all,
      ...(this.#tools === undefined ? {} : { toolCalls: this.#tools.calls }),
      ...(this.#network.connections.length === 0 ? {} : { connections: this.#network.connections }),
      ...(Object.keys(this.#usage).length === 0 ? {} : { usage: this.#usage }),
      durationMs,
    }
    for (const made of files) this.#events.push({ type: 'file', index: this.#index, file: made })
    this.#events.push({ type: 'block-end', index: this.#index, result })
    return result
  }

  #write(stream: StreamName, chunk: Uint8Array): void | Promise<void> {
    if (this.#isOpen) return this.#output.write(stream, chunk)
  }

  #result(bundle: MimeBundle, options: ResultOptions = {}): void | Promise<void> {
    const { displayId, metadata, executionCount, isUpdate } = knownOptions(options, resultNames, 'result()')
    if (!this.#isOpen) return
    const redact = (text: string) => this.#output.redact(text)
    const shown = {
      data: redactBundle(bundle, redact),
      ...(metadata === undefined ? {} : { metadata: redactBundle(metadata, redact) }),
      ...(executionCount === undefined ? {} : { executionCount }),
    }
    const { text, kept } = this.#results.add(shown, displayId)
    // What is not kept is not counted either, so it is not remembered.
    this.#displays.add(text, kept === undefined ? undefined : displayId)
    if (kept === undefined) return
    return this.#events.push({
      type: 'result',
      index: this.#index,
      result: kept,
      ...(displayId === undefined ? {} : { displayId: this.#output.redact(displayId) }),
      ...(shown.metadata === undefined ? {} : { metadata: shown.metadata }),
      ...(executionCount === undefined ? {} : { executionCount }),
      ...(isUpdate === true ? { isUpdate } : {}),
    })
  }

  #clear(): void {
    if (!this.#isOpen) return
    this.#output.clear()
    this.#displays.clear()
    this.#results.clear()
    this.#events.push({ type: 'clear', index: this.#index })
  }

  #redacted(notice: Notice): Notice {
    const redacted = redactNotice(notice, (text) => this.redact(text))
    // People and models read the message; programs read the data.
    return { ...redacted, message: visible(redacted.message) }
  }
}
