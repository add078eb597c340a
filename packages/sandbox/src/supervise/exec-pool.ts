import { setTimeout as delay } from 'node:timers/promises'
import type { BackendProcess, OutputSink } from '@fenced/core/sandbox'
import { onAbort, untilAborted } from '@fenced/shared'
import type { ExecTarget } from '../exec/exec-target.ts'
import { type OpenExec, openExec } from '../exec/exec-target.ts'

/** An exec that is there before its block; any sign of life from it means that it cannot be used. */
interface Spare {
  readonly opened: OpenExec
  readonly openedAt: number
  isUsable(): boolean
}

/** Time limit for opening an exec that is no longer needed, in milliseconds. */
const openingGraceMs = 5_000

/**
 * Opens the exec of the next block while the executor is idle: an engine takes longer to start a process than most
 * blocks run.
 */
export class ExecPool {
  readonly #target: ExecTarget
  readonly #command: readonly [string, ...string[]]
  readonly #maxRestMs: number
  readonly #closed = new AbortController()
  #spare: Promise<Spare | undefined> | undefined
  #timer: NodeJS.Timeout | undefined
  /** Ends the opening of {@link #spare}. */
  #giveUp = new AbortController()

  /**
   * @param command - what is started, and then waits.
   * @param maxRestMs - how long a connection may rest before it is used, in milliseconds: on the way to another machine
   * an idle connection is lost without notice. 0: no exec is opened in advance.
   */
  constructor(target: ExecTarget, command: readonly [string, ...string[]], maxRestMs: number) {
    this.#target = target
    this.#command = command
    this.#maxRestMs = maxRestMs
  }

  /** Begins to open the next one. It keeps no process alive, and what goes wrong shows when it is taken. */
  prepare(): void {
    if (this.#spare !== undefined || this.#maxRestMs === 0) return
    this.#giveUp = new AbortController()
    const signal = AbortSignal.any([this.#closed.signal, this.#giveUp.signal])
    this.#spare = this.#open(signal).catch(() => undefined)
  }

  /** Resolves when none is being opened. */
  async opened(): Promise<void> {
    await this.#spare
  }

  /** @throws what the engine answers when none can be opened. */
  async take(signal: AbortSignal): Promise<OpenExec> {
    signal.throwIfAborted()
    const spare = await this.#takeSpare(signal)
    if (spare === undefined) return openExec(this.#target, this.#command, { signal })
    spare.opened.process.ref?.()
    return spare.opened
  }

  /**
   * Ends the waiting exec. An exec that is being opened is awaited for a limited time: a container in which a process is
   * being started may not be killed by its end (gVisor, whose sandbox then stays as a zombie).
   */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    const opening = this.#spare
    const patience = new AbortController()
    const tooLong = delay(openingGraceMs, undefined, { signal: patience.signal }).catch(() => {})
    await Promise.race([opening, tooLong])
    patience.abort()
    this.#closed.abort()
    void opening?.then((spare) => spare?.opened.process.destroy())
  }

  async #takeSpare(signal: AbortSignal): Promise<Spare | undefined> {
    const pending = this.#spare
    if (pending === undefined) return undefined
    clearTimeout(this.#timer)
    // An engine that never answers must not delay the blocks after this one.
    using _ = onAbort(signal, () => {
      this.#giveUp.abort()
      this.#spare = undefined
    })
    const spare = await untilAborted(pending, signal)
    this.#spare = undefined
    if (spare === undefined || (spare.isUsable() && this.#isFresh(spare))) return spare
    spare.opened.process.destroy()
    return undefined
  }

  #isFresh({ openedAt }: Spare): boolean {
    return performance.now() - openedAt < this.#maxRestMs
  }

  /** Closes a connection that has waited too long to be trusted. */
  #dismiss(): void {
    const spare = this.#spare
    this.#spare = undefined
    void spare?.then((opened) => opened?.opened.process.destroy())
  }

  async #open(signal: AbortSignal): Promise<Spare> {
    const { process, runId } = await openExec(this.#target, this.#command, { signal })
    const openedAt = performance.now()
    const { watched, isQuiet } = watchForSigns(process)
    process.unref?.()
    if (signal.aborted) process.destroy()
    else if (this.#maxRestMs !== Infinity)
      this.#timer = setTimeout(() => this.#dismiss(), this.#maxRestMs).unref()
    return { opened: { process: watched, runId }, openedAt, isUsable: isQuiet }
  }
}

/** Reads the output of a process in advance, which shows whether there is any. */
function watchForSigns(process: BackendProcess): { watched: BackendProcess; isQuiet: () => boolean } {
  let isQuiet = true
  let sink: OutputSink | undefined
  const onSign = () => {
    isQuiet = false
  }
  const reading = process.read((stream, chunk) => (sink === undefined ? onSign() : sink(stream, chunk)))
  reading.then(onSign, onSign)
  const watched: BackendProcess = {
    stdin: process.stdin,
    read: (given) => {
      sink = given
      return reading
    },
    poll: () => process.poll(),
    ref: () => process.ref?.(),
    unref: () => process.unref?.(),
    destroy: () => process.destroy(),
  }
  return { watched, isQuiet: () => isQuiet }
}
