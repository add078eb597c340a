import { type CodeExecutor, FencedError, type Notice } from '@fenced/core'
import { SandboxPool } from '@fenced/sandbox'
import type { ExecutorFactory } from '../executor.ts'

/** Options of {@link Sessions}. */
export interface SessionsOptions {
  /** Describes where code runs. */
  readonly where: (executor: CodeExecutor) => string
  /** How many sessions can have a sandbox at a time. */
  readonly max: number
  /** Idle timeout of a session in milliseconds; `Infinity` for no limit. A call in progress counts as use. */
  readonly idleMs: number
}

/**
 * The executors of the sessions of clients. Each session has one, until it has been idle for too long or another session needs its
 * place, and its files until it has been idle for too long.
 */
export class Sessions {
  readonly #pool: SandboxPool<CodeExecutor>
  readonly #max: number
  /** An executor with the configuration of the sessions. It never starts. */
  readonly example: CodeExecutor
  /** In words, where code runs. */
  readonly where: string
  /** Idle limit of a session, in milliseconds. */
  readonly idleMs: number

  constructor(create: ExecutorFactory, { where, max, idleMs }: SessionsOptions) {
    this.example = create()
    this.where = where(this.example)
    this.idleMs = idleMs
    this.#max = max
    this.#pool = new SandboxPool({
      create,
      size: 0,
      max,
      idleTimeoutMs: idleMs,
      // Age ends no session: its variables would be lost in the middle of its work.
      maxLifetimeMs: Number.POSITIVE_INFINITY,
    })
  }

  /**
   * Works with the executor of a session, which is started by then.
   *
   * @param work - `notice`: why the session has another executor than before, and whether its files are lost.
   * @throws FencedError `POOL_FULL` with words for a model, and what the start of the executor rejects with.
   */
  async use<Value>(
    id: string,
    work: (executor: CodeExecutor, notice: Notice | undefined) => Promise<Value>,
  ): Promise<Value> {
    const lease = await this.#pool.get(id).catch((error: unknown) => {
      throw FencedError.isInstance(error) && error.code === 'POOL_FULL' ? this.#allBusy(error) : error
    })
    try {
      return await work(lease.resource, lease.notice)
    } finally {
      await lease.release()
    }
  }

  /** The capabilities of all executors. */
  get capabilities(): CodeExecutor['capabilities'] {
    return this.example.capabilities
  }

  /** Whether the executors have files and processes beside the code. */
  get hasSandbox(): boolean {
    return this.example.sandbox !== undefined
  }

  has(id: string): boolean {
    return this.#pool.has(id)
  }

  stop(): Promise<void> {
    return this.#pool.stop()
  }

  /** A model cannot release anything, and does not know the options of the pool. */
  #allBusy(cause: FencedError): FencedError {
    const limit = String(this.#max)
    const message = `Calls of other sessions are using all sandboxes of this server (${limit}). Try again later.`
    return new FencedError({ code: 'POOL_FULL', message, data: { option: '--max-sessions', limit }, cause })
  }
}
