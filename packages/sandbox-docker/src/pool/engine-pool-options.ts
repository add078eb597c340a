import { z } from 'zod'
import { type EngineConnection, engineConnectionSchema } from '../engine/connection.ts'

/** One engine of an {@link EnginePool}. */
export interface PooledEngineOptions {
  /** How to connect to it. */
  readonly docker: EngineConnection
  /**
   * The name of the engine in messages and for `drain`.
   *
   * @default its address, or the name of its context
   */
  readonly name?: string | undefined
  /**
   * How many sandboxes it has at a time. Engines fill up in proportion to it: one with 20 gets twice as many as one with 10.
   *
   * @default 10
   */
  readonly capacity?: number | undefined
}

/** Options of {@link EnginePool}. */
export interface EnginePoolOptions {
  /** The engines, at least one. */
  readonly engines: readonly PooledEngineOptions[]
  /**
   * How many starts may wait while all engines are full. The next one rejects with `POOL_FULL` at once.
   *
   * @default 100
   */
  readonly maxWaiting?: number | undefined
  /**
   * How long a start waits for an engine with room, in milliseconds, before it rejects with `POOL_FULL`.
   *
   * @default 60_000
   */
  readonly waitTimeoutMs?: number | undefined
  /**
   * Interval at which every engine is checked, in milliseconds.
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

/** {@link EnginePoolOptions}, with every default filled in. */
export type EnginePoolSettings = z.output<typeof enginePoolOptionsSchema>

function nameOf(connection: EngineConnection): string {
  if (typeof connection === 'string') return connection
  return 'host' in connection ? connection.host : connection.context
}
