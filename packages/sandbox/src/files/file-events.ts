import type { FileEvent, FileWatch, Sandbox } from '@fenced/core/sandbox'
import { CommandReadable } from './command-readable.ts'
import { FileCommand, type FileFailure, fileRefused } from './file-command.ts'
import { ChangedLines, ComparedListings, type WatchOutput } from './watch-output.ts'
import { watchArguments, watchScript } from './watch-script.ts'

/** What is watched. */
export interface FileEventsRequest {
  /** An absolute path, in which links are followed. */
  readonly base: string
  /** A path below it, in which no link is followed; empty for the base itself. */
  readonly name: string
  readonly recursive: boolean
  readonly failure: FileFailure
  readonly signal?: AbortSignal | undefined
}

/** Before the first line has come. */
const unknownOutput = { end: '\n', longest: 100 }

/** The changes in a directory while a process watches it. The process waits while the reader does, and ends with it. */
export class FileEvents extends CommandReadable implements FileWatch {
  readonly #failure: FileFailure
  readonly #ready = Promise.withResolvers<'ready'>()
  #output: WatchOutput | undefined
  #text = ''

  /** Rejects with FencedError `FILE_REFUSED` where no directory is. */
  static async open(spawn: Sandbox['spawn'], request: FileEventsRequest): Promise<FileEvents> {
    const { base, name, recursive, failure, signal } = request
    const events = new FileEvents(failure)
    const decoder = new TextDecoder()
    const command = await FileCommand.start(spawn, {
      script: watchScript,
      args: watchArguments(base, name, { recursive }),
      failure,
      signal,
      onOutput: (chunk) => events.#accept(decoder.decode(chunk, { stream: true })),
    })
    events.kills(command)
    await Promise.race([events.#ready.promise, command.complete()])
    events.follow(command, signal)
    return events
  }

  private constructor(failure: FileFailure) {
    super({ objectMode: true })
    this.#failure = failure
  }

  #accept(chunk: string): void | Promise<void> {
    if (this.destroyed) return
    const before = this.#text.slice(-3)
    this.#text += chunk
    this.#begin()
    const { end, longest } = this.#output ?? unknownOutput
    const isComplete = (before + chunk).includes(end)
    if (this.#output === undefined || !isComplete)
      return this.#text.length > longest ? this.#fail() : undefined
    try {
      const { events, rest } = this.#output.take(this.#text)
      this.#text = rest
      if (this.#output.isReady) this.#ready.resolve('ready')
      if (events.map((event) => this.push(event)).every(Boolean)) return
    } catch {
      return this.#fail()
    }
    return this.untilRead()
  }

  /** The first line says how the process watches. */
  #begin(): void {
    const end = this.#output === undefined ? this.#text.indexOf('\n') : -1
    if (end === -1) return
    this.#output = this.#text.slice(0, end) === 'changes' ? new ChangedLines() : new ComparedListings()
    this.#text = this.#text.slice(end + 1)
  }

  /** Programs of the sandbox may write in place of the script. */
  #fail(): void {
    this.destroy(fileRefused(this.#failure, 'the sandbox sent something other than changes'))
  }

  protected override finish(): void {
    const removed: FileEvent = { kind: 'removed', path: '.' }
    this.push(removed)
    super.finish()
  }
}
