import { type CodeExecutor, FencedError, type Notice } from '@fenced/core'
import { type Lease, SandboxPool } from '@fenced/sandbox'
import { raceAbort } from '@fenced/shared'
import type { ExecutorFactory } from '../executor.ts'
import { defaultCallTimeoutMs, defaultProgramTimeoutMs } from './running-call.ts'

/** Time that a start may take after its call has ended, in milliseconds. */
const lateStartMs = 60_000
/** The longest that a timer can wait, in milliseconds. */
const longestTimerMs = 2 ** 31 - 1

/** Options of {@link ClientSandboxes}. */
export interface ClientSandboxesOptions {
  /** Describes where code runs. */
  readonly where: (executor: CodeExecutor) => string
  /** How many clients and handles can have a sandbox at a time. */
  readonly max: number
  /** Idle timeout of a sandbox in milliseconds; `Infinity` for no limit. A call in progress counts as use. */
  readonly idleTimeoutMs: number
  /** How long a call waits for its sandbox, and for the end of its program, in milliseconds. Default: 30 000. */
  readonly callTimeoutMs?: number | undefined
  /** Time limit of a program in milliseconds, including the wait for a sandbox. Default: 600 000. */
  readonly programTimeoutMs?: number | undefined
}

/**
 * The executors of clients and handles. Each key has one, until it has been idle for too long or another key needs its
 * place, and its files until it has been idle for too long.
 */
export class ClientSandboxes {
  readonly #pool: SandboxPool<CodeExecutor>
  readonly #max: number
  /** Notices of sandboxes that became ready after their call had ended, for the next call with the key. */
  readonly #lateNotices = new Map<string, Notice>()
  /** An executor with the configuration of the sandboxes. It never starts. */
  readonly example: CodeExecutor
  /** In words, where code runs. */
  readonly where: string
  /** Idle timeout of a sandbox, in milliseconds. */
  readonly idleTimeoutMs: number
  /** How long a call waits, in milliseconds. */
  readonly callTimeoutMs: number
  /** Time limit of a program, in milliseconds. */
  readonly programTimeoutMs: number

  constructor(create: ExecutorFactory, options: ClientSandboxesOptions) {
    const { where, max, idleTimeoutMs } = options
    const { callTimeoutMs = defaultCallTimeoutMs, programTimeoutMs = defaultProgramTimeoutMs } = options
    this.example = create()
    this.where = where(this.example)
    this.idleTimeoutMs = idleTimeoutMs
    this.programTimeoutMs = Math.min(programTimeoutMs, longestTimerMs - lateStartMs)
    this.callTimeoutMs = Math.min(callTimeoutMs, this.programTimeoutMs)
    this.#max = max
    this.#pool = new SandboxPool({
      create,
      size: 0,
      max,
      idleTimeoutMs,
      waitTimeoutMs: this.callTimeoutMs + lateStartMs,
      // Age ends no sandbox: its variables would be lost in the middle of its work.
      maxLifetimeMs: Number.POSITIVE_INFINITY,
    })
  }

  /**
   * Works with the executor of a key, which is started by then.
   *
   * @param work - `notice`: why the key has another executor than before, and whether its files are lost.
   * @param limit - aborted when the call ends, and no sandbox is needed any longer.
   * @throws FencedError `POOL_FULL` with words for a model, `PREPARE_TIMEOUT`, and what the start of the executor rejects with.
   */
  async use<Value>(
    id: string,
    work: (executor: CodeExecutor, notice: Notice | undefined) => Promise<Value>,
    limit: AbortSignal = new AbortController().signal,
  ): Promise<Value> {
    const waiting = new AbortController()
    const timer = setTimeout(() => waiting.abort(), this.callTimeoutMs)
    const lease = await this.#lease(id, AbortSignal.any([limit, waiting.signal])).finally(() =>
      clearTimeout(timer),
    )
    const notice = lease.notice ?? this.#lateNotices.get(id)
    this.#lateNotices.delete(id)
    try {
      return await work(lease.resource, notice)
    } finally {
      await lease.release()
    }
  }

  async #lease(id: string, limit: AbortSignal): Promise<Lease<CodeExecutor>> {
    const leaving = new AbortController()
    const coming = this.#pool.get(id, { signal: leaving.signal }).catch((error: unknown) => {
      throw FencedError.isInstance(error) && error.code === 'POOL_FULL' ? this.#allBusy(error) : error
    })
    const lease = await raceAbort(coming, limit)
    if (lease !== 'aborted') return lease
    coming
      .then(async ({ notice, release }) => {
        if (notice !== undefined) this.#lateNotices.set(id, notice)
        await release()
      })
      .catch(() => {})
    // A start continues, so that the next call finds the sandbox ready.
    if (this.#pool.state.inUse < this.#max)
      throw notReady(this.callTimeoutMs, this.callTimeoutMs === this.programTimeoutMs)
    leaving.abort()
    throw this.#allBusy()
  }

  /** The capabilities of all executors. */
  get capabilities(): CodeExecutor['capabilities'] {
    return this.example.capabilities
  }

  /** Whether the executors have files and processes beside the code. */
  get hasSandbox(): boolean {
    return this.example.sandbox !== undefined
  }

  /** Stops the programs of a key, and removes its files. */
  async close(id: string): Promise<void> {
    if (!this.#pool.has(id)) return
    const lease = await this.#pool.get(id)
    await lease.discard()
  }

  has(id: string): boolean {
    return this.#pool.has(id)
  }

  stop(): Promise<void> {
    return this.#pool.stop()
  }

  /** A model cannot release anything, and does not know the options of the pool. */
  #allBusy(cause?: FencedError): FencedError {
    const limit = String(this.#max)
    const message = `Calls of other clients are using all sandboxes of this server (${limit}). Try again later.`
    return new FencedError({ code: 'POOL_FULL', message, data: { option: '--max-sandboxes', limit }, cause })
  }
}

function notReady(limitMs: number, isOfPrograms: boolean): FencedError {
  return new FencedError({
    code: 'PREPARE_TIMEOUT',
    message: `The sandbox was not ready within the call's limit of ${limitMs / 1_000} s, so nothing was run. It is still starting. Call again${isOfPrograms ? ', or start `fenced mcp` with a longer `--timeout`' : ''}.`,
    data: { limitMs: `${limitMs}`, ...(isOfPrograms ? { option: '--timeout' } : {}) },
  })
}
