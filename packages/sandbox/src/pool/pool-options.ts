import type { StartOptions } from '@fenced/core'
import { z } from '@fenced/core/zod'

/** Anything that a pool can hold: any sandbox or executor. */
export interface Poolable {
  start(options?: StartOptions): Promise<void>
  /** Stops it. If it fails, calling it again tries again. */
  stop(): Promise<void>
}

/** Values that a {@link SandboxPool}'s `create` function can use. */
export interface PoolCreateOptions {
  /**
   * Path of a new, empty directory on this machine, used only by this sandbox or executor. The directory is created when this
   * property is read. Pass it on as the working directory, so that a key keeps its files when its sandbox is stopped for
   * another caller. The pool removes the directory.
   */
  readonly workDir: string
}

/** Options for {@link SandboxPool}. */
export interface SandboxPoolOptions<Kept extends Poolable> {
  /** Returns a new sandbox that has not been started. Each call must create a separate working directory. */
  readonly create: (options: PoolCreateOptions) => Kept
  /**
   * Number of started, unused sandboxes to keep ready.
   *
   * @default 1
   */
  readonly size?: number | undefined
  /**
   * Maximum number of sandboxes, including those that are ready, starting, in use or stopping.
   *
   * @default 10
   */
  readonly max?: number | undefined
  /**
   * Maximum number of sandboxes that one user can have at a time. Only callers that pass a `user` are counted.
   *
   * @default no limit other than `max`
   */
  readonly maxPerUser?: number | undefined
  /**
   * Maximum number of callers that can wait for a sandbox. Beyond that, the user with the most waiting callers has the newest one
   * rejected with `POOL_FULL` immediately.
   *
   * @default 1_000
   */
  readonly maxWaiting?: number | undefined
  /**
   * Time that a caller waits before it is rejected with `POOL_FULL`, in milliseconds. Includes waiting for its turn, for a start,
   * and for the check of an unused sandbox (`isUsable`).
   *
   * @default 60_000
   */
  readonly waitTimeoutMs?: number | undefined
  /**
   * Time that the sandbox of a key without a lease is kept, in milliseconds; `Infinity` for no limit. If callers are waiting, the sandbox
   * that has been idle longest is stopped sooner. If `create` uses `workDir`, its files are still kept for this time.
   *
   * @default 600_000
   */
  readonly idleTimeoutMs?: number | undefined
  /**
   * Maximum lifetime of a sandbox, in milliseconds; `Infinity` for no limit. It is then stopped even if it is in use, so that
   * nothing keeps running because a caller forgot to release it. A program that is running at that time ends as `cancelled`.
   *
   * @default 3_600_000
   */
  readonly maxLifetimeMs?: number | undefined
  /**
   * Maximum number of times that `get` hands out the same sandbox for a key. After that, the key gets a clean sandbox,
   * without the files. A lease that begins while another lease of the key is held shares its sandbox, regardless of this limit.
   *
   * @default no limit
   */
  readonly maxUses?: number | undefined
  /**
   * Whether a sandbox that has been unused for more than 5 seconds still works. This applies to ready sandboxes and those of idle
   * keys. If it does not work, or the check fails, the sandbox is stopped and replaced.
   *
   * @default sandboxes, and executors with a sandbox, must be able to run `/bin/sh`; others are not checked
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

/** {@link SandboxPoolOptions} with defaults filled in. */
export type IdleSetOptions<Kept extends Poolable> = Pick<SandboxPoolOptions<Kept>, 'isUsable'> & {
  readonly [Name in Exclude<keyof SandboxPoolOptions<Kept>, 'isUsable'>]-?: NonNullable<
    SandboxPoolOptions<Kept>[Name]
  >
}
