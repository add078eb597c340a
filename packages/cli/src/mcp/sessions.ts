import type { CodeExecutor } from '@fenced/core'
import { SandboxPool } from '@fenced/sandbox'

/** The executors of the sessions of clients: each session has one, with its files, until nobody has used it for a while. */
export class Sessions {
  readonly #pool: SandboxPool<CodeExecutor>
  readonly #used = new Set<string>()
  /** What all of them can do. */
  readonly capabilities: CodeExecutor['capabilities']
  /** Whether they have files and processes beside the code. */
  readonly hasSandbox: boolean
  /** In words, where code runs. */
  readonly where: string

  constructor(
    create: () => CodeExecutor,
    { where, max, idleMs }: { where: (executor: CodeExecutor) => string; max: number; idleMs: number },
  ) {
    // It is not started, so it costs nothing.
    const example = create()
    this.capabilities = example.capabilities
    this.hasSandbox = example.sandbox !== undefined
    this.where = where(example)
    this.#pool = new SandboxPool({
      create,
      size: 0,
      max,
      idleTimeoutMs: idleMs,
      maxLifetimeMs: 24 * 3_600_000,
    })
  }

  /** Works with the executor of a session, which is started by then. */
  async use<Value>(id: string, work: (executor: CodeExecutor) => Promise<Value>): Promise<Value> {
    const lease = await this.#pool.get(id)
    this.#used.add(id)
    try {
      return await work(lease.resource)
    } finally {
      await lease.release()
    }
  }

  /** Whether a session was used before. */
  isUsed(id: string): boolean {
    return this.#used.has(id)
  }

  stop(): Promise<void> {
    return this.#pool.stop()
  }
}
