import { parseOptions } from '@fenced/core/driver'
import { knownOptions, type OptionNames } from '@fenced/core/internal'
import { IdleSet } from './idle-set.ts'
import { type Lease, leaseOf } from './lease.ts'
import { ofAnotherUser, stoppedError } from './pool-errors.ts'
import {
  type IdleSetOptions,
  type Poolable,
  poolOptionsSchema,
  type SandboxPoolOptions,
} from './pool-options.ts'
import { Session } from './session.ts'

/** How many sessions without a sandbox are remembered, with their files. */
const mostAtRest = 1_000

/** Options for {@link SandboxPool.acquire} and {@link SandboxPool.get}. */
export interface AcquireOptions {
  /** User that the lease is counted for: see `maxPerUser`. */
  readonly user?: string | undefined
  /** Cancels the wait. */
  readonly signal?: AbortSignal | undefined
}

const acquireOptionNames: OptionNames<AcquireOptions> = { user: true, signal: true }

/** A pool's usage, for monitoring. `started`, `failed` and `stopped` count since the pool was created. */
export interface PoolState {
  /** Number of sandboxes that are started and unused. */
  readonly ready: number
  readonly starting: number
  /** Number of sandboxes that are handed out, belong to a session, or are being stopped. */
  readonly inUse: number
  /** Number of sessions that have a sandbox, or files for their next one. */
  readonly sessions: number
  /** Number of callers that are waiting for a sandbox. */
  readonly waiting: number
  readonly started: number
  /** Number of failed starts. */
  readonly failed: number
  readonly stopped: number
}

/**
 * Sandboxes or executors that are started before they are needed. A used sandbox is stopped and never given to another caller.
 * {@link SandboxPool.stop} stops all of them. They also end with this process if they would do so without a pool.
 *
 * @example
 * ```ts
 * const pool = new SandboxPool({ create: ({ workDir }) => new DockerCommandLineCodeExecutor({ workDir }), size: 4, max: 20 })
 * const lease = await pool.get('conversation-7', { user: 'ada' })
 * try {
 *   await lease.resource.execute([{ language: 'python', code: 'print(6 * 7)' }])
 * } finally {
 *   await lease.release()
 * }
 * ```
 */
export class SandboxPool<Kept extends Poolable> implements AsyncDisposable {
  readonly #options: IdleSetOptions<Kept>
  readonly #idle: IdleSet<Kept>
  readonly #sessions = new Map<string, Session<Kept>>()

  /** @throws FencedError `INVALID_OPTIONS`. */
  constructor(options: SandboxPoolOptions<Kept>) {
    this.#options = parseOptions(poolOptionsSchema, options, 'SandboxPool') as IdleSetOptions<Kept>
    this.#idle = new IdleSet(this.#options)
  }

  get state(): PoolState {
    const { counts, started, failed, stopped } = this.#idle
    const sessions = [...this.#sessions.values()].filter(({ isOver }) => !isOver).length
    return { ...counts, sessions, started, failed, stopped }
  }

  /**
   * Starts the number of sandboxes to keep ready (`size`). Optional before `acquire` and `get`, which call it automatically, but
   * required after `stop`.
   *
   * @throws The error of the first sandbox that cannot be started. Further starts are retried later, at increasing intervals.
   */
  async start(): Promise<void> {
    await this.#idle.fill()
  }

  /**
   * Hands out a clean sandbox, immediately if one is ready.
   *
   * @throws FencedError `POOL_FULL` if none became free in time or too many callers are waiting; `POOL_STOPPED`; the error with
   *   which the sandbox's start rejects; the signal's reason.
   */
  async acquire(options: AcquireOptions = {}): Promise<Lease<Kept>> {
    const { user, signal } = knownOptions(options, acquireOptionNames, 'acquire()')
    using deadline = this.#idle.deadline(user, signal)
    const member = await this.#idle.take({ user, signal: deadline.signal })
    const end = () => this.#idle.end(member)
    return leaseOf({ resource: member.kept, isFirst: true }, { release: end, discard: end })
  }

  /**
   * Hands out a session's sandbox, the same one to all callers. The session gets a clean sandbox the first time, and after its
   * previous one was idle too long, reached its usage limit, or was discarded. If `create` uses `workDir`, the session gets a new
   * sandbox with its old files after another caller needed the previous one's place, or after the previous one reached its
   * maximum age or stopped working.
   *
   * @throws The same errors as {@link acquire}, and FencedError `SESSION_OF_ANOTHER_USER` if the session was started with a
   *   different `user`.
   */
  async get(sessionId: string, options: AcquireOptions = {}): Promise<Lease<Kept>> {
    const { user, signal } = knownOptions(options, acquireOptionNames, 'get()')
    const session = this.#sessionOf(sessionId, user)
    using deadline = this.#idle.deadline(user, signal)
    const { member, isFirst, notice } = await session.get(deadline.signal)
    const release = async () => session.release()
    const discard = async () => {
      session.release()
      if (this.#sessions.get(sessionId) === session) this.#sessions.delete(sessionId)
      await session.close()
    }
    const given = { resource: member.kept, isFirst, ...(notice === undefined ? {} : { notice }) }
    return leaseOf(given, { release, discard })
  }

  /** Returns whether a session has a sandbox, or files for its next one. */
  has(sessionId: string): boolean {
    return this.#sessions.get(sessionId)?.isOver === false
  }

  /**
   * Stops all sandboxes, even those in use, and rejects waiting callers. Rejects with the first error; calling it again tries
   * again.
   */
  async stop(): Promise<void> {
    const sessions = [...this.#sessions.values()]
    this.#sessions.clear()
    const idle = this.#idle.close(stoppedError())
    const ends = await Promise.allSettled([idle, ...sessions.map((session) => session.close())])
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** The session of that name, as the one used last. */
  #sessionOf(id: string, user: string | undefined): Session<Kept> {
    const known = this.#sessions.get(id)
    if (known !== undefined && known.user !== user && !known.isOver) throw ofAnotherUser(id)
    const session = known?.user === user && known !== undefined ? known : this.#newSession(id, user)
    this.#sessions.delete(id)
    this.#sessions.set(id, session)
    return session
  }

  #newSession(id: string, user: string | undefined): Session<Kept> {
    const onRest = () => {
      if (session.isUnused && this.#sessions.get(id) === session) this.#sessions.delete(id)
      this.#forgetOldest()
    }
    const session: Session<Kept> = new Session({ user, idle: this.#idle, options: this.#options, onRest })
    return session
  }

  #forgetOldest(): void {
    const atRest = [...this.#sessions].filter(([, { isIdle }]) => isIdle)
    for (const [id, session] of atRest.slice(0, Math.max(0, atRest.length - mostAtRest))) {
      this.#sessions.delete(id)
      session.close().catch(() => {})
    }
  }
}
