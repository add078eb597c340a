import type { StartOptions } from '@fenced/core'
import { z } from 'zod'

/** What a pool can keep: every sandbox, and every executor. */
export interface Poolable {
  start(options?: StartOptions): Promise<void>
  /** Calling it again after a failure tries again. */
  stop(): Promise<void>
}

/** Options of {@link SandboxPool}. */
export interface SandboxPoolOptions<Kept extends Poolable> {
  /** Makes one that was not started. Each call gives another one, with a working directory of its own. */
  readonly create: () => Kept
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
   * How many callers may wait for one. The next one gets `POOL_FULL` at once.
   *
   * @default 100
   */
  readonly maxWaiting?: number | undefined
  /**
   * How long a caller waits, in milliseconds, before it gets `POOL_FULL`: for its turn, and for the check of a sandbox that
   * waited (`isUsable`).
   *
   * @default 60_000
   */
  readonly waitTimeoutMs?: number | undefined
  /**
   * How long a session without a lease is kept, in milliseconds; `Infinity` for no limit.
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
   * Whether a sandbox that has waited for more than 5 seconds can still be used. A sandbox that cannot, or whose check fails, is
   * stopped and replaced.
   *
   * @default a sandbox, and an executor that has one, is asked to run `/bin/sh`; nothing else is asked
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
    create: z.custom<() => unknown>((value) => typeof value === 'function', 'must be a function'),
    size: z.number().int().min(0).default(1),
    max: count.default(10),
    maxPerUser: count.default(Number.MAX_SAFE_INTEGER),
    maxWaiting: z.number().int().min(0).default(100),
    waitTimeoutMs: timeMs.default(60_000),
    idleTimeoutMs: limitMs.default(600_000),
    maxLifetimeMs: limitMs.default(3_600_000),
    maxUses: count.default(Number.MAX_SAFE_INTEGER),
    isUsable: z
      .custom<(kept: never) => Promise<boolean>>((value) => typeof value === 'function', 'must be a function')
      .optional(),
  })
  .refine(({ size, max }) => size <= max, { path: ['size'], message: 'must not be above `max`' })
