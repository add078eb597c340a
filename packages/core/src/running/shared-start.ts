import type { FencedError } from '@fenced/errors'
import { onAbort } from '@fenced/shared'
import { knownOptions, type OptionNames } from '../options/known-options.ts'
import type { Notice } from '../vocabulary/code-result.ts'
import type { StartOptions } from '../vocabulary/start-options.ts'

/** Parts of a {@link SharedStart}. */
export interface SharedStartOptions<T> {
  /** Must give up when the signal is aborted. */
  readonly start: (options: StartOptions & { readonly signal: AbortSignal }) => Promise<T>
  /** Ends what was started. */
  readonly stop: (running: T) => Promise<void>
  /** Ends what a start that rejected has left half open. Default: it leaves nothing. */
  readonly discard?: () => Promise<void>
  /** Whether what was started is still there. Default: until {@link SharedStart.markBroken} is called. */
  readonly isAlive?: (running: T) => boolean
  /** Returns the error for callers whose start is ended by `stop`. */
  readonly stoppedError: () => FencedError
}

const sharedStartOptionNames: OptionNames<SharedStartOptions<unknown>> = {
  start: true,
  stop: true,
  discard: true,
  isAlive: true,
  stoppedError: true,
}

interface Start<T> {
  readonly done: Promise<T>
  readonly controller: AbortController
  readonly notices: StartNotices
  waiting: number
  isReady: boolean
  isBroken: boolean
}

/**
 * Something that is started by the first caller that needs it, once for all callers at the same time, and ended once. All of them hear its notices. A
 * caller whose signal is aborted leaves; the last one to leave ends the start. What is broken, or could not be ended, is
 * ended before it is started again. No two of its steps run at the same time.
 */
export class SharedStart<T> {
  readonly #options: SharedStartOptions<T>
  /** The current start, in progress or ready. */
  #start: Start<T> | undefined
  /** Ends what could not be ended before. */
  #unfinishedEnd: (() => Promise<void>) | undefined
  /** The end that a new start must wait for. */
  #ending: Promise<void> | undefined
  #stopping: Promise<void> | undefined
  #isStopped = false

  constructor(options: SharedStartOptions<T>) {
    this.#options = knownOptions(options, sharedStartOptionNames, 'SharedStart')
  }

  get state(): 'idle' | 'starting' | 'ready' | 'stopping' | 'stopped' | 'broken' {
    if (this.#stopping !== undefined) return 'stopping'
    if (this.#start?.isReady) return this.#start.isBroken ? 'broken' : 'ready'
    if (this.#start !== undefined || this.#ending !== undefined) return 'starting'
    if (this.#unfinishedEnd !== undefined) return 'broken'
    return this.#isStopped ? 'stopped' : 'idle'
  }

  /** Starts it unless it runs. Rejects with the signal's reason when that is aborted, and leaves nothing behind then. */
  async get(options: StartOptions = {}): Promise<T> {
    const { signal } = options
    for (;;) {
      // No wait where nothing is ending: a stop that is called next must find this start.
      while (this.#ending !== undefined) await this.#ending.catch(() => {})
      if (this.#unfinishedEnd !== undefined) await this.#end()
      signal?.throwIfAborted()
      this.#start ??= this.#begin(options)
      const start = this.#start
      const running = await this.#join(start, options)
      if (!start.isBroken && this.#options.isAlive?.(running) !== false) return running
      // Only the first who notices ends it.
      if (this.#start === start) await this.#end()
    }
  }

  /** Ends it, also in the middle of a start. Calls at the same time share one stop; after a failure it can be repeated. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopping ??= this.#end().finally(() => {
      this.#stopping = undefined
    })
    await this.#stopping
  }

  /** Marks the result of the start as unusable: it is ended before the next start. */
  markBroken(): void {
    if (this.#start?.isReady) this.#start.isBroken = true
  }

  #begin(options: StartOptions): Start<T> {
    const controller = new AbortController()
    this.#isStopped = false
    const notices = new StartNotices()
    const onNotice = notices.add.bind(notices)
    const done = this.#open({ ...options, onNotice }, controller.signal)
    const start = { done, controller, notices, waiting: 0, isReady: false, isBroken: false }
    done.then(
      () => {
        start.isReady = true
      },
      () => {
        if (this.#start === start) this.#start = undefined
      },
    )
    return start
  }

  async #open(options: StartOptions, signal: AbortSignal): Promise<T> {
    const { start, stop, discard } = this.#options
    let undo = discard
    try {
      const running = await start({ ...options, signal })
      undo = () => stop(running)
      signal.throwIfAborted()
      return running
    } catch (error) {
      await undo?.().catch(() => {
        // Why the start failed is what the caller must hear. The next start or stop tries once more.
        this.#unfinishedEnd = undo
      })
      // What is thrown for an abort is an error of the start's own making.
      throw signal.aborted ? signal.reason : error
    }
  }

  async #join(start: Start<T>, { signal, onNotice }: StartOptions): Promise<T> {
    if (start.isReady) return start.done
    using _listening = start.notices.listen(onNotice)
    const { promise: left, resolve: leave } = Promise.withResolvers<undefined>()
    let ending: Promise<void> | undefined
    start.waiting++
    using _ = onAbort(signal, () => {
      start.waiting--
      if (start.waiting === 0 && this.#start === start) ending = this.#end().catch(() => {})
      leave(undefined)
    })
    const running = await Promise.race([left, start.done.then((value) => ({ value }))])
    if (running !== undefined) return running.value
    // A partial start is ended before the last caller continues.
    await ending
    throw signal?.reason
  }

  /** Ends what runs, what is being started, or what could not be ended before. */
  #end(): Promise<void> {
    const start = this.#start
    const end = start === undefined ? this.#unfinishedEnd : () => this.#endStart(start)
    this.#start = undefined
    if (end === undefined) return this.#ending ?? Promise.resolve()
    this.#unfinishedEnd = undefined
    this.#ending = end()
      .catch((error: unknown) => {
        this.#unfinishedEnd ??= end
        throw error
      })
      .finally(() => {
        this.#ending = undefined
      })
    return this.#ending
  }

  async #endStart({ done, controller, isReady }: Start<T>): Promise<void> {
    if (!isReady) controller.abort(this.#options.stoppedError())
    const started = await done.then(
      (value) => ({ value }),
      () => undefined,
    )
    if (started !== undefined) return this.#options.stop(started.value)
    // It has ended for the signal. What could not be ended is tried once more.
    const unfinishedEnd = this.#unfinishedEnd
    this.#unfinishedEnd = undefined
    await unfinishedEnd?.().catch((error: unknown) => {
      this.#unfinishedEnd = unfinishedEnd
      throw error
    })
  }
}

/** The number of notices of a start that are kept for callers that join later. */
const mostKept = 20

/** The notices of one start, for all callers that wait for it. */
class StartNotices {
  readonly #listeners = new Set<(notice: Notice) => void>()
  readonly #kept: Notice[] = []

  add(notice: Notice): void {
    this.#kept.push(notice)
    if (this.#kept.length > mostKept) this.#kept.shift()
    for (const listener of this.#listeners) listener(notice)
  }

  /** Listens until it is disposed, also to the last notices before. */
  listen(onNotice: StartOptions['onNotice']): Disposable {
    if (onNotice === undefined) return { [Symbol.dispose]: () => {} }
    const listener = (notice: Notice) => onNotice(notice)
    for (const notice of [...this.#kept]) listener(notice)
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }
}
