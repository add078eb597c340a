import type { StartOptions } from '@fenced/core'
import { z } from 'zod'

/** What a pool can keep: every sandbox, and every executor. */
export interface Poolable {
  start(options?: StartOptions): Promise<void>
  /** Calling it again after a failure tries again. */
  stop(): Promise<void>
}

/** What `create` of a {@link SandboxPool} can use. */
export interface PoolCreateOptions {
  /**
   * The path of a new, empty directory of this machine, for this sandbox or executor alone. It is made when this is read. Pass it on
   * as the working directory: a session then keeps its files when its sandbox is stopped for another caller. The pool removes it.
   */
  readonly workDir: string
}

/** Options of {@link SandboxPool}. */
export interface SandboxPoolOptions<Kept extends Poolable> {
  /** Returns a new sandbox that was not started. Each call must create a separate working directory. */
  readonly create: (options: PoolCreateOptions) => Kept
  /**
   * How many wait, started and unused.
   *
   * @default 1
   */
  readonly size?: number | undefined
  /**
   * How many there are at most: those that wait, that start, that are in use and that are being stopped.
   *
   * @default 10
   */
  readonly max?: number | undefined
  /**
   * How many one user may have at a time. Only callers who name a `user` are counted.
   *
   * @default no limit but `max`
   */
  readonly maxPerUser?: number | undefined
  /**
   * How many callers may wait for one. Beyond that, the newest caller of the user with the most waiting callers gets `POOL_FULL`
   * at once.
   *
   * @default 1_000
   */
  readonly maxWaiting?: number | undefined
  /**
   * How long a caller waits, in milliseconds, before it gets `POOL_FULL`: for its turn, for a start, and for the check of a sandbox
   * that was not used (`isUsable`).
   *
   * @default 60_000
   */
  readonly waitTimeoutMs?: number | undefined
  /**
   * How long a session without a lease is kept, in milliseconds; `Infinity` for no limit. While a caller waits, the sandbox of the
   * session that was idle longest is stopped earlier. Its files are kept for this time where `create` uses `workDir`.
   *
   * @default 600_000
   */
  readonly idleTimeoutMs?: number | undefined
  /**
   * How long one may exist, in milliseconds; `Infinity` for no limit. It is stopped then, also in the middle of its use: nothing
   * that a caller forgot to give back is left running. A program that runs at that time ends as `cancelled`.
   *
   * @default 3_600_000
   */
  readonly maxLifetimeMs?: number | undefined
  /**
   * How many times `get` hands out the same one to a session. The next time it gets a clean one, without the files. A lease
   * that begins while another lease of the session is held shares its sandbox, however often that was handed out.
   *
   * @default no limit
   */
  readonly maxUses?: number | undefined
  /**
   * Whether a sandbox that was not used for more than 5 seconds still works: a ready one, or that of an idle session. If it does not,
   * or the check fails, it is stopped and replaced.
   *
   * @default sandboxes, and executors with a sandbox, must run `/bin/sh`; others are not checked
   */
  readonly isUsable?: ((kept: Kept) => Promise<boolean>) | undefined
}

/** How long a timer can wait. */
const longestMs = 2 ** 31 - 1

const count = z.number().int().min(1)
const timeMs = z.number().int().min(1).max(longestMs)
const limitMs = z.union([timeMs, z.literal(Number.POSITIVE_INFINITY)])

export const poolOptionsSchema = z
  .strictObject({
    create: z.custom<(options: PoolCreateOptions) => unknown>(
      (value) => typeof value === 'function',
      'must be a function',
    ),
    size: z.number().int().min(0).default(1),
    max: count.default(10),
    maxPerUser: count.default(Number.MAX_SAFE_INTEGER),
    maxWaiting: z.number().int().min(0).default(1_000),
    waitTimeoutMs: timeMs.default(60_000),
    idleTimeoutMs: limitMs.default(600_000),
    maxLifetimeMs: limitMs.default(3_600_000),
    maxUses: count.default(Number.MAX_SAFE_INTEGER),
    isUsable: z
      .custom<(kept: never) => Promise<boolean>>((value) => typeof value === 'function', 'must be a function')
      .optional(),
  })
  .refine(({ size, max }) => size <= max, { path: ['size'], message: 'must not be above `max`' })

/** {@link SandboxPoolOptions}, with every default filled in. */
export type StockOptions<Kept extends Poolable> = Pick<SandboxPoolOptions<Kept>, 'isUsable'> & {
  readonly [Name in Exclude<keyof SandboxPoolOptions<Kept>, 'isUsable'>]-?: NonNullable<
    SandboxPoolOptions<Kept>[Name]
  >
}
