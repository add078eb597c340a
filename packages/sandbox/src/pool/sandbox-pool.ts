import { parseOptions } from '@fenced/core/driver'
import { knownOptions, type OptionNames } from '@fenced/core/internal'
import { IdleSet } from './idle-set.ts'
import { KeyedSandbox } from './keyed-sandbox.ts'
import { type Lease, leaseOf } from './lease.ts'
import { ofAnotherUser, stoppedError } from './pool-errors.ts'
import {
  type IdleSetOptions,
  type Poolable,
  poolOptionsSchema,
  type SandboxPoolOptions,
} from './pool-options.ts'

/** How many keys without a sandbox are remembered, with their files. */
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
  /** Number of sandboxes that are handed out, belong to a key, or are being stopped. */
  readonly inUse: number
  /** Number of keys that have a sandbox, or files for their next one. */
  readonly keys: number
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
  readonly #byKey = new Map<string, KeyedSandbox<Kept>>()

  /** @throws FencedError `INVALID_OPTIONS`. */
  constructor(options: SandboxPoolOptions<Kept>) {
    this.#options = parseOptions(poolOptionsSchema, options, 'SandboxPool') as IdleSetOptions<Kept>
    this.#idle = new IdleSet(this.#options)
  }

  get state(): PoolState {
    const { counts, started, failed, stopped } = this.#idle
    const keys = [...this.#byKey.values()].filter(({ isOver }) => !isOver).length
    return { ...counts, keys, started, failed, stopped }
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
   * Hands out the sandbox of a key, such as the id of a conversation, to all callers that pass the key. The key gets a clean sandbox the first time, and after its
   * previous one was idle too long, reached its usage limit, or was discarded. If `create` uses `workDir`, the key gets a new
   * sandbox with its old files after another caller needed the previous one's place, or after the previous one reached its
   * maximum age or stopped working.
   *
   * @throws The same errors as {@link acquire}, and FencedError `KEY_OF_ANOTHER_USER` if the key was first used with a
   *   different `user`.
   */
  async get(key: string, options: AcquireOptions = {}): Promise<Lease<Kept>> {
    const { user, signal } = knownOptions(options, acquireOptionNames, 'get()')
    const keyed = this.#keyedOf(key, user)
    using deadline = this.#idle.deadline(user, signal)
    const { member, isFirst, notice } = await keyed.get(deadline.signal)
    const release = async () => keyed.release()
    const discard = async () => {
      keyed.release()
      if (this.#byKey.get(key) === keyed) this.#byKey.delete(key)
      await keyed.close()
    }
    const given = { resource: member.kept, isFirst, ...(notice === undefined ? {} : { notice }) }
    return leaseOf(given, { release, discard })
  }

  /** Returns whether a key has a sandbox, or files for its next one. */
  has(key: string): boolean {
    return this.#byKey.get(key)?.isOver === false
  }

  /**
   * Stops all sandboxes, even those in use, and rejects waiting callers. Rejects with the first error; calling it again tries
   * again.
   */
  async stop(): Promise<void> {
    const keyed = [...this.#byKey.values()]
    this.#byKey.clear()
    const idle = this.#idle.close(stoppedError())
    const ends = await Promise.allSettled([idle, ...keyed.map((each) => each.close())])
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** The sandbox of a key, as the one used last. */
  #keyedOf(id: string, user: string | undefined): KeyedSandbox<Kept> {
    const known = this.#byKey.get(id)
    if (known !== undefined && known.user !== user && !known.isOver) throw ofAnotherUser(id)
    const keyed = known?.user === user && known !== undefined ? known : this.#newKeyed(id, user)
    this.#byKey.delete(id)
    this.#byKey.set(id, keyed)
    return keyed
  }

  #newKeyed(id: string, user: string | undefined): KeyedSandbox<Kept> {
    const onRest = () => {
      if (keyed.isUnused && this.#byKey.get(id) === keyed) this.#byKey.delete(id)
      this.#forgetOldest()
    }
    const keyed: KeyedSandbox<Kept> = new KeyedSandbox({
      user,
      idle: this.#idle,
      options: this.#options,
      onRest,
    })
    return keyed
  }

  #forgetOldest(): void {
    const atRest = [...this.#byKey].filter(([, { isIdle }]) => isIdle)
    for (const [id, keyed] of atRest.slice(0, Math.max(0, atRest.length - mostAtRest))) {
      this.#byKey.delete(id)
      keyed.close().catch(() => {})
    }
  }
}
