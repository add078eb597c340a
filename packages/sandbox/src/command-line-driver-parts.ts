import type { Language } from '@fenced/core'
import type { HostWorkDirectory, PackageManager } from '@fenced/core/driver'
import type { Sandbox } from '@fenced/core/sandbox'
import type { InterpreterFinder } from './interpreters.ts'
import type { WarmOption } from './resident-python/warm-option.ts'
import type { CheckpointOptions } from './session/session-checkpoints.ts'

/** Parts of a `CommandLineDriver`. */
export interface CommandLineDriverParts {
  /** Sandbox in which blocks run. */
  readonly sandbox: Sandbox
  /** The sandbox's working directory on this machine. */
  readonly workDirectory: HostWorkDirectory
  /** Whether the driver starts and stops the sandbox. */
  readonly ownsSandbox: boolean
  /** Languages that the driver may have to run. */
  readonly languages: readonly Language[]
  /** Validated `warm` option. */
  readonly warm: WarmOption
  /** The reason why this sandbox cannot keep a resident Python, if known. */
  readonly warmProblem?: string | undefined
  /** Whether Matplotlib figures that a block shows, or leaves open, become results of the block. */
  readonly figures: boolean
  /** Whether Python blocks run as cells of one session. */
  readonly stateful: boolean
  /** Checkpoints of the session. */
  readonly checkpoints: CheckpointOptions
  /** Grace period between SIGTERM and SIGKILL, in milliseconds. */
  readonly killGraceMs: number
  /** Finds interpreters. Default: by the names of the languages' commands. */
  readonly interpreters?: InterpreterFinder | undefined
  /** Installs packages that a Python program needs. Default: nothing is installed. */
  readonly packages?: PackageManager | undefined
}
