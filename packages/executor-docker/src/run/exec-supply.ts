import { setTimeout as delay } from 'node:timers/promises'
import { blockScript } from './block-script.ts'
import { type ExecPlace, type OpenExec, openExec, setKeepsUs } from './open-exec.ts'

/** An exec that is there before its block; any sign of life from it means that it cannot be used. */
interface Spare {
  readonly opened: OpenExec
  readonly openedAt: number
  isUsable: boolean
  readonly onSign: () => void
}

/** Where blocks run, and whether no other executor runs any in there. */
export interface BlockPlace extends ExecPlace {
  readonly isExclusive: boolean
}

/** How long the opening of one that is not wanted any more may go on, in milliseconds. */
const openingGraceMs = 5_000

/**
 * Opens the exec of the next block while nothing else goes on: an engine takes longer to start a process than most
 * blocks run.
 */
export class ExecSupply {
  readonly #place: ExecPlace
  readonly #command: readonly string[]
  readonly #maxRestMs: number
  readonly #closed = new AbortController()
  #spare: Promise<Spare | undefined> | undefined
  /** Ends the opening of {@link #spare}. */
  #giveUp = new AbortController()

  /**
   * @param maxRestMs - how long a connection may rest before it is used, in milliseconds: on the way to another machine
   * one that rests is forgotten without a word. 0: none is opened before it is needed.
   */
  constructor(place: BlockPlace, maxRestMs: number) {
    this.#place = place
    this.#command = ['/bin/sh', '-c', blockScript, 'fenced', place.isExclusive ? 'yes' : 'no']
    this.#maxRestMs = maxRestMs
  }

  /** Begins to open the next one. It keeps no process alive, and what goes wrong shows when it is taken. */
  prepare(): void {
    if (this.#spare !== undefined || this.#maxRestMs === 0) return
    this.#giveUp = new AbortController()
    const signal = AbortSignal.any([this.#closed.signal, this.#giveUp.signal])
    this.#spare = this.#open(signal).catch(() => undefined)
  }

  /** @throws what the engine answers when none can be opened. */
  async take(signal: AbortSignal): Promise<OpenExec> {
    signal.throwIfAborted()
    const spare = await this.#takeSpare(signal)
    if (spare === undefined) return openExec(this.#place, this.#command, signal)
    spare.opened.connection.off('readable', spare.onSign)
    setKeepsUs(spare.opened, true)
    return spare.opened
  }

  /**
   * Ends the one that waits. One that is being opened is waited for, within bounds: a container in which a process is
   * being started may not be killed by its end (gVisor, whose sandbox then stays as a zombie).
   */
  async close(): Promise<void> {
    const opening = this.#spare
    const patience = new AbortController()
    const tooLong = delay(openingGraceMs, undefined, { signal: patience.signal }).catch(() => {})
    await Promise.race([opening, tooLong])
    patience.abort()
    this.#closed.abort()
    void opening?.then((spare) => spare?.opened.connection.destroy())
  }

  async #takeSpare(signal: AbortSignal): Promise<Spare | undefined> {
    const pending = this.#spare
    if (pending === undefined) return undefined
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    const onAbort = () => {
      // An engine that never answers to it must not stand in the way of the blocks after this one.
      this.#giveUp.abort()
      this.#spare = undefined
      reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      const spare = await Promise.race([pending, aborted])
      this.#spare = undefined
      if (spare === undefined || (spare.isUsable && this.#isFresh(spare))) return spare
      spare.opened.connection.destroy()
      return undefined
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  #isFresh({ openedAt }: Spare): boolean {
    return performance.now() - openedAt < this.#maxRestMs
  }

  async #open(signal: AbortSignal): Promise<Spare> {
    const opened = await openExec(this.#place, this.#command, signal)
    const { connection } = opened
    const onSign = () => {
      spare.isUsable = false
    }
    const spare: Spare = { opened, openedAt: performance.now(), isUsable: true, onSign }
    connection.on('readable', onSign).once('close', onSign)
    setKeepsUs(opened, false)
    if (signal.aborted) connection.destroy()
    return spare
  }
}
