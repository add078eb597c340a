import type { LanguageTable } from '@fenced/markdown'
import type { ExecutorCapabilities } from '../code-executor.ts'
import type { DirectoryLease } from '../work-directory/directory-lease.ts'
import type { Driver } from './driver.ts'
import type { EngineOptions } from './options.ts'

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
  /** The driver must be closed before it is used again. */
  readonly markBroken: () => void
}
