import { FencedError } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { SharedStart } from '@fenced/core/internal'
import { type Poolable, poolOptionsSchema, type SandboxPoolOptions } from './pool-options.ts'
import { type Member, Stock, type StockOptions } from './stock.ts'

/** Options of {@link SandboxPool.acquire} and {@link SandboxPool.get}. */
export interface AcquireOptions {
  /** Whom it counts for: see `maxPerUser`. */
  readonly user?: string | undefined
  /** Gives the wait up. */
  readonly signal?: AbortSignal | undefined
}

/** What a pool handed out. Disposing of it releases it. */
export interface Lease<Kept> extends AsyncDisposable {
  /** The sandbox or executor, started. What starts and stops it is the pool's. */
  readonly resource: Kept
  /** Whether no earlier lease had this sandbox or executor. For a session that was used before: its earlier files are lost. */
  readonly isFirst: boolean
  /** Gives it back. It is stopped; that of a session stays, for the session, until nobody holds it for `idleTimeoutMs`. */
  release(): Promise<void>
  /** Gives it back and stops it. A session of it begins with a clean one the next time. */
  discard(): Promise<void>
}

/** How a pool is used, for monitoring. The last three count since it was made. */
export interface PoolState {
  /** How many wait, started and unused. */
  readonly ready: number
  readonly starting: number
  /** How many are handed out, belong to a session, or are being stopped. */
  readonly inUse: number
  readonly sessions: number
  /** How many callers wait for one. */
  readonly waiting: number
  readonly started: number
  /** How many starts failed. */
  readonly failed: number
  readonly stopped: number
}

interface Session<Kept> {
  readonly user: string | undefined
  readonly life: SharedStart<Member<Kept>>
  /** How many leases of it are held, or waited for. */
  holders: number
  /** How often its present one was handed out. */
  uses: number
  idle: NodeJS.Timeout | undefined
}

/**
 * Sandboxes or executors that are started before they are needed. One that was used is never handed out to anybody else: it is
 * stopped. All of them end with {@link SandboxPool.stop}, or with this process where theirs do.
 *
 * @example
 * ```ts
 * const pool = new SandboxPool({ create: () => new DockerCommandLineCodeExecutor(), size: 4, max: 20 })
 * const lease = await pool.get('conversation-7', { user: 'ada' })
 * try {
 *   await lease.resource.execute([{ language: 'python', code: 'print(6 * 7)' }])
 * } finally {
 *   await lease.release()
 * }
 * ```
 */
export class SandboxPool<Kept extends Poolable> implements AsyncDisposable {
  readonly #options: StockOptions<Kept>
  readonly #stock: Stock<Kept>
  readonly #sessions = new Map<string, Session<Kept>>()

  /** @throws FencedError `INVALID_OPTIONS`. */
  constructor(options: SandboxPoolOptions<Kept>) {
    this.#options = parseOptions(poolOptionsSchema, options, 'SandboxPool') as StockOptions<Kept>
    this.#stock = new Stock(this.#options)
  }

  get state(): PoolState {
    const { ready, starting, inUse, waiting, started, failed, stopped } = this.#stock
    return { ready, starting, inUse, sessions: this.#sessions.size, waiting, started, failed, stopped }
  }

  /**
   * Starts as many as are to wait (`size`). Not needed before `acquire` and `get`, which begin with it; needed after `stop`.
   *
   * @throws what the first one that cannot be started rejects with. Others are tried later, less and less often.
   */
  async start(): Promise<void> {
    await this.#stock.fill()
  }

  /**
   * Hands out a clean one: at once where one waits.
   *
   * @throws FencedError `POOL_FULL` when none was free in time or too many wait, `POOL_STOPPED`, what its start rejects with,
   *   and the reason of the signal.
   */
  async acquire({ user, signal }: AcquireOptions = {}): Promise<Lease<Kept>> {
    const member = await this.#stock.take({ user, signal })
    const end = () => this.#stock.end(member)
    return leaseOf({ resource: member.kept, isFirst: true }, { release: end, discard: end })
  }

  /**
   * Hands out the one of a session, the same to all who ask: a clean one the first time, when the last one was idle for too
   * long, lived or was used to its limit, or was discarded.
   *
   * @throws as {@link acquire}, and FencedError `SESSION_OF_ANOTHER_USER` when the session was begun with another `user`.
   */
  async get(sessionId: string, { user, signal }: AcquireOptions = {}): Promise<Lease<Kept>> {
    const session = this.#sessions.get(sessionId) ?? this.#newSession(sessionId, user)
    if (session.user !== user) throw ofAnotherUser(sessionId)
    clearTimeout(session.idle)
    session.holders++
    const letGo = () => this.#letGo(sessionId, session)
    try {
      const member = await session.life.get({ signal })
      const isFirst = session.uses++ === 0
      const discard = async () => {
        letGo()
        await this.#endSession(sessionId, session)
      }
      return leaseOf({ resource: member.kept, isFirst }, { release: async () => letGo(), discard })
    } catch (error) {
      letGo()
      throw error
    }
  }

  /** Stops all, also those in use, and refuses those who wait. Rejects with the first error; calling it again tries again. */
  async stop(): Promise<void> {
    for (const { idle } of this.#sessions.values()) clearTimeout(idle)
    this.#sessions.clear()
    await this.#stock.close(stoppedError())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  #newSession(sessionId: string, user: string | undefined): Session<Kept> {
    const { maxUses } = this.#options
    const life = new SharedStart<Member<Kept>>({
      start: async ({ signal }) => {
        session.uses = 0
        return this.#stock.take({ user, signal })
      },
      stop: (member) => this.#stock.end(member),
      isAlive: ({ ending }) => ending === undefined && (session.holders > 1 || session.uses < maxUses),
      stoppedError,
    })
    const session: Session<Kept> = { user, life, holders: 0, uses: 0, idle: undefined }
    this.#sessions.set(sessionId, session)
    return session
  }

  #letGo(sessionId: string, session: Session<Kept>): void {
    session.holders--
    if (session.holders > 0 || this.#sessions.get(sessionId) !== session) return
    const end = () => this.#endSession(sessionId, session).catch(() => {})
    const { idleTimeoutMs } = this.#options
    if (session.life.state !== 'ready') void end()
    else if (idleTimeoutMs !== Number.POSITIVE_INFINITY) session.idle = setTimeout(end, idleTimeoutMs).unref()
  }

  async #endSession(sessionId: string, session: Session<Kept>): Promise<void> {
    clearTimeout(session.idle)
    if (this.#sessions.get(sessionId) === session) this.#sessions.delete(sessionId)
    await session.life.stop()
  }
}

/** Its end is called once, by the first of the two. */
function leaseOf<Kept>(
  given: Pick<Lease<Kept>, 'resource' | 'isFirst'>,
  ends: { readonly release: () => Promise<void>; readonly discard: () => Promise<void> },
): Lease<Kept> {
  let ended: Promise<void> | undefined
  const release = () => {
    ended ??= ends.release()
    return ended
  }
  const discard = () => {
    ended ??= ends.discard()
    return ended
  }
  return { ...given, release, discard, [Symbol.asyncDispose]: release }
}

function stoppedError(): FencedError {
  return new FencedError({
    code: 'POOL_STOPPED',
    message: 'The pool was stopped. Call start() to use it again.',
  })
}

function ofAnotherUser(sessionId: string): FencedError {
  return new FencedError({
    code: 'SESSION_OF_ANOTHER_USER',
    message: `The session ${JSON.stringify(sessionId)} was begun with another \`user\`: choose another id.`,
    data: { session: sessionId },
  })
}
