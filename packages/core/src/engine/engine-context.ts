import type { LanguageTable } from '@fenced/markdown'
import type { ExecutorCapabilities } from '../code-executor.ts'
import type { ComponentDescription } from '../configuration/to-component-config.ts'
import type { DirectoryLease } from '../work-directory/directory-lease.ts'
import type { Driver } from './driver.ts'
import type { EarlierPrograms } from './failures/earlier-programs.ts'
import type { EngineOptions } from './options.ts'

/** Parts of a `DriverExecutor`. */
export interface DriverExecutorParts {
  /** Name of the kind of executor, used in messages and events. */
  readonly name: string
  /** The driver that runs prepared blocks. */
  readonly driver: Driver
  /** Capabilities and guarantees of the driver. They do not change. */
  readonly capabilities: ExecutorCapabilities
  /** Options common to all executors, validated and with defaults filled in. */
  readonly options: EngineOptions
  /**
   * Time that the driver has to stop after `io.signal` is aborted, in milliseconds. After that, the driver is abandoned and the
   * block's status is `died`. Default: 10 000.
   */
  readonly stopGraceMs?: number
  /**
   * Time limit for {@link Driver.start}, in milliseconds. If it is exceeded, the call rejects with `START_TIMEOUT`. Default:
   * 3 600 000, because a start may download an image; 120 000 with `defineExecutor`.
   */
  readonly startTimeoutMs?: number
  /**
   * Time limit for {@link Driver.prepare}, in milliseconds. If it is exceeded, the call rejects with `PREPARE_TIMEOUT`. Default:
   * 120 000.
   */
  readonly prepareTimeoutMs?: number
  /**
   * Time limit for {@link Driver.stop}, in milliseconds. If it is exceeded, `stop` and `restart` reject with `DRIVER_FAILED`.
   * Default: 120 000.
   */
  readonly stopTimeoutMs?: number
  /** Parts of the executor's config. `redact` is always left out. Default: no config. */
  readonly configuration?: ComponentDescription
}

/** A driver with everything that the engine knows about it. */
export interface EngineContext {
  readonly name: string
  readonly driver: Driver
  readonly capabilities: ExecutorCapabilities
  readonly options: EngineOptions
  readonly languages: LanguageTable
  /** Held while the executor is started. */
  readonly lease: DirectoryLease
  /** Grace period of a driver that stops a block, in milliseconds. */
  readonly stopGraceMs: number
  /** Time limit for the preparation of a block, in milliseconds. */
  readonly prepareTimeoutMs: number
  readonly earlierPrograms: EarlierPrograms
  /** The driver must be closed before it is used again. */
  readonly markBroken: () => void
}
