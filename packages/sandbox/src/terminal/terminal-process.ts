import type { Readable, Writable } from 'node:stream'
import { asksToEnd, checkTerminalSize } from '@fenced/core/internal'
import type {
  OutputStreams,
  OutputWatcher,
  OutputWatchers,
  ProcessEnd,
  SandboxProcess,
  TerminalSize,
} from '@fenced/core/sandbox'
import { onAbort } from '@fenced/shared'
import type { HeldOutput } from './held-output.ts'
import type { TerminalOptions } from './terminal-request.ts'

/** What a {@link TerminalProcess} is made of. */
interface TerminalProcessParts extends Required<Pick<SandboxProcess, 'signal' | 'resize'>> {
  /** Makes the terminal. */
  readonly inner: SandboxProcess
  readonly stdin: Writable
  readonly streams: OutputStreams
  readonly watchers: OutputWatchers
  /** Its output until now. */
  readonly held: HeldOutput
  readonly options: TerminalOptions
  /** The end of a program that did not start. */
  readonly notStarted: ProcessEnd | undefined
}

/** A process in a terminal that another process in the sandbox makes. */
export class TerminalProcess implements SandboxProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  /** Empty: a terminal has one output. */
  readonly stderr: Readable
  readonly exited: Promise<void>
  readonly ended: Promise<ProcessEnd>
  readonly #parts: TerminalProcessParts
  /** Resolves when the sink has the output from before the start. */
  readonly #early: Promise<void>
  #failure: { readonly error: unknown } | undefined
  /** Resolved when its output is read no longer. */
  readonly #abandon = Promise.withResolvers<void>()
  #wasStopped = false

  constructor(parts: TerminalProcessParts) {
    const { inner, stdin, streams, options } = parts
    this.#parts = parts
    this.stdin = stdin
    this.stdout = streams.stdout
    this.stderr = streams.stderr
    // A program that has ended closes it; its end says so.
    stdin.on('error', () => {})
    if (options.output !== undefined) streams.end()
    this.#early = parts.held.release()
    // The program ends with the error of its sink.
    this.#early.catch((error: unknown) => {
      this.#failure = { error }
      void this.kill()
    })
    this.exited = inner.exited
    this.ended = this.#end()
    // An unhandled error of a sink must not end this process.
    this.ended.catch(() => {})
  }

  watchOutput(watcher: OutputWatcher): Disposable {
    return this.#parts.watchers.add(watcher)
  }

  async signal(name: NodeJS.Signals): Promise<void> {
    this.#wasStopped ||= asksToEnd(name)
    await this.#parts.signal(name)
  }

  async resize(size: TerminalSize): Promise<void> {
    await this.#parts.resize(checkTerminalSize(size))
  }

  kill(): Promise<'ended' | 'stuck'> {
    this.#abandon.resolve()
    return this.#parts.inner.kill()
  }

  ref(): void {
    this.#parts.inner.ref()
  }

  unref(): void {
    this.#parts.inner.unref()
  }

  async #end(): Promise<ProcessEnd> {
    const { inner, notStarted, streams, options } = this.#parts
    const { signal, killGraceMs = 1_000, output } = options
    let timer: NodeJS.Timeout | undefined
    using _ = onAbort(signal, () => {
      void this.signal('SIGTERM')
      timer = setTimeout(() => void this.kill(), killGraceMs)
    })
    try {
      const end = await inner.ended
      if (end.kind === 'lost') this.#abandon.resolve()
      await Promise.race([this.#early, this.#abandon.promise])
      if (this.#failure !== undefined) throw this.#failure.error
      if (notStarted !== undefined) return notStarted
      return end.kind === 'exited' && this.#wasStopped ? { ...end, wasStopped: true } : end
    } finally {
      clearTimeout(timer)
      if (output === undefined) streams.end()
      this.stdin.destroy()
    }
  }
}
