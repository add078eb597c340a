import type { CodeExecutor } from '@fenced/core'
import { SandboxPool } from '@fenced/sandbox'

/** How many names of sessions are remembered after their use. */
const mostRemembered = 1_000

/** Options of {@link Sessions}. */
export interface SessionsOptions {
  /** Describes where code runs. */
  readonly where: (executor: CodeExecutor) => string
  /** How many sessions there can be at a time. */
  readonly max: number
  /** How long a session remains without a call, in milliseconds; `Infinity` for no limit. A call in progress counts as use. */
  readonly idleMs: number
}

/** The executors of the sessions of clients. Each session has one, with its files, until it has been idle for too long. */
export class Sessions {
  readonly #pool: SandboxPool<CodeExecutor>
  /** Names, the least recently used first. */
  readonly #used = new Set<string>()
  /** An executor like those of the sessions. It never starts. */
  readonly example: CodeExecutor
  /** In words, where code runs. */
  readonly where: string
  /** Idle limit of a session, in milliseconds. */
  readonly idleMs: number

  constructor(create: () => CodeExecutor, { where, max, idleMs }: SessionsOptions) {
    this.example = create()
    this.where = where(this.example)
    this.idleMs = idleMs
    this.#pool = new SandboxPool({
      create,
      size: 0,
      max,
      idleTimeoutMs: idleMs,
      // Age ends no session: its files would be lost in the middle of its work.
      maxLifetimeMs: Number.POSITIVE_INFINITY,
    })
  }

  /**
   * Works with the executor of a session, which is started by then.
   *
   * @param work - `isReplaced`: whether earlier calls of the session had another executor, whose files are lost.
   */
  async use<Value>(
    id: string,
    work: (executor: CodeExecutor, isReplaced: boolean) => Promise<Value>,
  ): Promise<Value> {
    const lease = await this.#pool.get(id)
    const isReplaced = lease.isFirst && this.#used.has(id)
    this.#remember(id)
    try {
      return await work(lease.resource, isReplaced)
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

  /** Whether a session was used before. */
  isUsed(id: string): boolean {
    return this.#used.has(id)
  }

  stop(): Promise<void> {
    return this.#pool.stop()
  }

  #remember(id: string): void {
    this.#used.delete(id)
    this.#used.add(id)
    const [oldest] = this.#used
    if (this.#used.size > mostRemembered && oldest !== undefined) this.#used.delete(oldest)
  }
}
