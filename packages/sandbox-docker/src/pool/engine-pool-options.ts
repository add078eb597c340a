import { z } from '@fenced/core/zod'
import { type EngineConnection, engineConnectionSchema } from '../engine/connection.ts'

/** One engine in an {@link EnginePool}. */
export interface PooledEngineOptions {
  /** How to connect to the engine. */
  readonly docker: EngineConnection
  /**
   * Name of the engine in messages and for `drain`.
   *
   * @default the engine's address, or the name of its context
   */
  readonly name?: string | undefined
  /**
   * Maximum number of sandboxes at a time. Engines fill up in proportion to their capacity: one with 20 gets twice as many as one
   * with 10.
   *
   * @default 10
   */
  readonly capacity?: number | undefined
}

/** Options for {@link EnginePool}. */
export interface EnginePoolOptions {
  /** The engines; at least one is required. */
  readonly engines: readonly PooledEngineOptions[]
  /**
   * Maximum number of starts that can wait while all engines are full. Further starts reject with `POOL_FULL` immediately.
   *
   * @default 100
   */
  readonly maxWaiting?: number | undefined
  /**
   * Time that a start waits for an engine with free capacity before it rejects with `POOL_FULL`, in milliseconds.
   *
   * @default 60_000
   */
  readonly waitTimeoutMs?: number | undefined
  /**
   * Interval between checks of all engines, in milliseconds.
   *
   * @default 5_000
   */
  readonly checkIntervalMs?: number | undefined
}

/** How long a timer can wait. */
const longestMs = 2 ** 31 - 1

const timeMs = z.int().min(1).max(longestMs)

const engineSchema = z
  .strictObject({
    docker: engineConnectionSchema,
    name: z.string().min(1).optional(),
    capacity: z.int().min(1).default(10),
  })
  .transform((engine) => ({ ...engine, name: engine.name ?? nameOf(engine.docker) }))

export const enginePoolOptionsSchema = z.strictObject({
  engines: z
    .array(engineSchema)
    .min(1)
    .refine((engines) => new Set(engines.map(({ name }) => name)).size === engines.length, {
      error: 'must not have the same `name`, or without names the same address, twice',
    }),
  maxWaiting: z.int().min(0).default(100),
  waitTimeoutMs: timeMs.default(60_000),
  checkIntervalMs: timeMs.default(5_000),
})

/** {@link EnginePoolOptions} with defaults filled in. */
export type EnginePoolSettings = z.output<typeof enginePoolOptionsSchema>

function nameOf(connection: EngineConnection): string {
  if (typeof connection === 'string') return connection
  return 'host' in connection ? connection.host : connection.context
}
