import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { asksToEnd } from '@fenced/core/internal'
import {
  type BackendProcess,
  type OutputSink,
  OutputStreams,
  type OutputWatcher,
  OutputWatchers,
  type ProcessEnd,
  type SandboxBackend,
  type SandboxProcess,
} from '@fenced/core/sandbox'
import { afterGrace, raceGrace } from '@fenced/shared'
import type { EndNote } from '../exec/end-mark.ts'
import type { OpenExec } from '../exec/exec-target.ts'
import { explainDisconnect } from '../exec/explain-disconnect.ts'
import { ProcessOutput } from './process-output.ts'

/** The name of a signal without `SIG`, as `kill -s` takes it. */
export type ShortSignal = string

/** What a {@link SupervisedProcess} is made of. */
export interface SupervisedProcessParts {
  readonly backend: SandboxBackend
  /** Runs one of our scripts with the program. */
  readonly opened: OpenExec
  /** The program's name, for messages. */
  readonly program: string
  /** Whether the stdin of the connection is the program's. */
  readonly hasStdin: boolean
  readonly output: OutputSink | undefined
  readonly signal: AbortSignal | undefined
  /** In milliseconds. */
  readonly killGraceMs: number
  /** Sends all of the program a signal. Must not reject. */
  send(signal: ShortSignal): Promise<void>
}

/** How long a program may take to end after SIGKILL, in milliseconds. */
const lastGraceMs = 5_000

/** The longest time that output of a killed program may take to arrive before it is given up, in milliseconds. */
const longestRestMs = 20_000

/** Interval at which processes to be killed are searched for, in milliseconds. */
const killAgainMs = 250

/** A program that one of our scripts runs in a sandbox, and the connection to it. */
export class SupervisedProcess implements SandboxProcess {
  readonly stdin: Writable | undefined
  readonly exited: Promise<void>
  readonly ended: Promise<ProcessEnd>
  readonly #parts: SupervisedProcessParts
  readonly #process: BackendProcess
  readonly #streams = new OutputStreams()
  readonly #watchers = new OutputWatchers()
  readonly #output: ProcessOutput
  readonly #timers: NodeJS.Timeout[] = []
  /** Gives up a killed program that does not end. */
  #patience: Disposable | undefined
  #isStuck = false
  #hasEnded = false
  /** Since when nothing is wanted of it, on the clock of `performance.now`. */
  #restsSince: number | undefined

  constructor(parts: SupervisedProcessParts) {
    const { opened, output, hasStdin, signal } = parts
    this.#parts = parts
    this.#process = opened.process
    this.stdin = hasStdin ? opened.process.stdin : undefined
    // A program that has ended closes it; its end says so.
    this.stdin?.on('error', () => {})
    if (output !== undefined) this.#streams.end()
    const sink = this.#watchers.tap(output ?? this.#streams.write)
    this.#output = new ProcessOutput(opened.runId, sink, () => void this.#killNow())
    signal?.addEventListener('abort', this.#stop, { once: true })
    if (signal?.aborted === true) this.#stop()
    this.ended = this.#run()
    // An unhandled error of a sink must not end this process.
    this.exited = this.ended.then(
      () => {},
      () => {},
    )
  }

  get stdout(): Readable {
    return this.#streams.stdout
  }

  get stderr(): Readable {
    return this.#streams.stderr
  }

  watchOutput(watcher: OutputWatcher): Disposable {
    return this.#watchers.add(watcher)
  }

  async signal(name: NodeJS.Signals): Promise<void> {
    asksToEnd(name)
    if (!this.#hasEnded) await this.#parts.send(name.slice(3))
  }

  async kill(): Promise<'ended' | 'stuck'> {
    if (!this.#hasEnded) this.#killNow()
    return (await raceGrace(this.exited, lastGraceMs)) === 'late' || this.#isStuck ? 'stuck' : 'ended'
  }

  ref(): void {
    this.#restsSince = undefined
    this.#process.ref?.()
  }

  unref(): void {
    this.#restsSince = performance.now()
    this.#process.unref?.()
  }

  /** Whether its connection rested for so long that a way to another machine may have forgotten it. */
  async isOutdated(): Promise<boolean> {
    const restsMs = this.#restsSince === undefined ? 0 : performance.now() - this.#restsSince
    return restsMs >= (this.#parts.backend.maxRestMs ?? 0)
  }

  /** Closes its connection: what became of it is not known then. */
  closeConnection(): void {
    this.#process.destroy()
  }

  async #run(): Promise<ProcessEnd> {
    const { backend, signal, output } = this.#parts
    try {
      using _watch = watchForEnd(this.#process, () => this.#quietMs())
      await this.#output.read(this.#process, backend.losesUnreadOutput === true)
      // Before it is known what became of it: a reader must not take it for alive meanwhile.
      if (output === undefined) this.#streams.end()
      if (this.#output.failure !== undefined) throw this.#output.failure.error
      const { note } = this.#output
      if (note !== undefined) return this.#endOf(note)
      return this.#isStuck ? this.#stuck() : await explainDisconnect(backend)
    } finally {
      this.#hasEnded = true
      signal?.removeEventListener('abort', this.#stop)
      for (const timer of this.#timers) clearTimeout(timer)
      this.#patience?.[Symbol.dispose]()
      this.#process.destroy()
    }
  }

  /** An idle process is not checked. */
  #quietMs(): number {
    return this.#restsSince === undefined ? this.#output.quietMs : 0
  }

  #endOf({ notStarted, exitCode, wasStopped, outOfMemory, memoryKill, leftBehind }: EndNote): ProcessEnd {
    if (notStarted !== undefined) {
      const why = notStarted === 'not-found' ? 'the sandbox has no such program' : 'it cannot be executed'
      const message = `${this.#parts.program} could not be started: ${why}.`
      return { kind: 'not-started', reason: notStarted, message, data: { program: this.#parts.program } }
    }
    return {
      kind: 'exited',
      exitCode,
      wasStopped,
      ...(outOfMemory ? { outOfMemory } : {}),
      ...(memoryKill ? { memoryKills: 1 } : {}),
      ...(leftBehind ? { leftBehind } : {}),
    }
  }

  #stuck(): ProcessEnd {
    const message = `${this.#parts.program} did not end within ${lastGraceMs / 1_000} seconds after it was killed. It ends with its sandbox.`
    return { kind: 'stuck', message }
  }

  /** Asks it to end, then kills it, then gives it up. */
  readonly #stop = (): void => {
    void this.#parts.send('TERM')
    this.#timers.push(setTimeout(() => this.#killNow(), this.#parts.killGraceMs))
  }

  #killNow(): void {
    void this.#parts.send('KILL')
    // A process that had not begun yet was not found before.
    this.#timers.push(setInterval(() => void this.#parts.send('KILL'), killAgainMs))
    this.#patience ??= this.#giveUpWhenQuiet(performance.now() + longestRestMs)
  }

  /** The end of a process arrives after its output, which can still be in transit. */
  #giveUpWhenQuiet(latest: number): Disposable {
    return afterGrace(lastGraceMs, () => {
      if (this.#output.quietMs < lastGraceMs && performance.now() < latest) {
        this.#patience = this.#giveUpWhenQuiet(latest)
        return
      }
      this.#isStuck = true
      this.#process.destroy()
    })
  }
}

/** How long a connection may be quiet before Fenced checks with the backend whether the process has ended, in milliseconds. */
const quietLimitMs = 5_000

/** Time limit for the rest of the output after the end of a process, in milliseconds. */
const restMs = 2_000

/**
 * Closes the connection of a process that has ended, because some engines do not.
 *
 * @param quietMs - how long nothing has come from it although we were listening, in milliseconds.
 */
function watchForEnd(process: BackendProcess, quietMs: () => number): Disposable {
  const timer = setInterval(async () => {
    if (quietMs() < quietLimitMs) return
    if ((await process.poll()) === undefined) return
    // It may have ended just now, with its last output not yet received.
    await delay(restMs, undefined, { ref: false })
    if (quietMs() >= quietLimitMs) process.destroy()
  }, quietLimitMs)
  // The connection keeps this Node process going, if anything does.
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
