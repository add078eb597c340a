import { onAbort } from '@fenced/shared'
import type { ServerContext } from '@modelcontextprotocol/server'

/** How long a call waits for its sandbox and for the end of its program, in milliseconds. Clients stop waiting after 60 s by default. */
export const defaultCallTimeoutMs = 30_000

/** Default time limit of a program, in milliseconds. */
export const defaultProgramTimeoutMs = 600_000

/** Time between two progress messages without news, in milliseconds. Each one resets the timeout of a client that wants that. */
const beatMs = 5_000

/** A call of a tool while it runs: its time limit, and its progress for a client that requested it. */
export class RunningCall implements Disposable {
  readonly limitMs: number
  #request: ServerContext['mcpReq'] | undefined
  readonly #limit = new AbortController()
  readonly #end = new AbortController()
  readonly #onCancel: Disposable
  readonly #timer: NodeJS.Timeout
  readonly #beat: NodeJS.Timeout | undefined
  #progress = 0
  #message = 'The call is in progress.'

  /** @param request - the client's. Absent for a call that no client can cancel or watch. */
  constructor(limitMs: number, request?: ServerContext['mcpReq']) {
    this.limitMs = limitMs
    this.#request = request
    this.#onCancel = onAbort(request?.signal, () => this.#end.abort())
    this.#timer = setTimeout(() => {
      this.#limit.abort()
      this.#end.abort()
    }, limitMs)
    if (this.isWatched) this.#beat = setInterval(() => void this.#send(), beatMs)
  }

  /** Aborted at the time limit. */
  get limit(): AbortSignal {
    return this.#limit.signal
  }

  /** Aborted at the time limit, and when the client cancels the call. */
  get signal(): AbortSignal {
    return this.#end.signal
  }

  /** Whether the client requested progress. */
  get isWatched(): boolean {
    return this.#request?._meta?.progressToken !== undefined
  }

  /** Stops the program. */
  cancel(): void {
    this.#end.abort()
  }

  /** The request was answered: its client can no longer cancel the call, or watch it. */
  detach(): void {
    this.#request = undefined
    clearInterval(this.#beat)
    this.#onCancel[Symbol.dispose]()
  }

  /** Sends progress now, and the same message again while nothing new is reported. */
  async report(message: string): Promise<void> {
    this.#message = message
    this.#beat?.refresh()
    await this.#send()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    clearInterval(this.#beat)
    this.#onCancel[Symbol.dispose]()
  }

  async #send(): Promise<void> {
    const progressToken = this.#request?._meta?.progressToken
    if (progressToken === undefined) return
    const params = { progressToken, progress: ++this.#progress, message: this.#message }
    // A client that has left cancels the call; its progress is not an error.
    await this.#request?.notify({ method: 'notifications/progress', params }).catch(() => {})
  }
}
