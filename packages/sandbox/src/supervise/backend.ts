import { FencedError } from '@fenced/core'
import type { SandboxBackend } from '@fenced/core/sandbox'

/** Where something runs in a sandbox, and as which user. */
export interface ExecTarget {
  readonly backend: SandboxBackend
  /** Default: the sandbox's own. */
  readonly user: string | undefined
  /** An absolute path there. */
  readonly directory: string
  /**
   * Variables for everything that is started there.
   *
   * @default {}
   */
  readonly variables?: Readonly<Record<string, string>>
}

/** Whether a backend rejected because the sandbox is not there any more, so that nothing was started. */
export function isGone(error: unknown): boolean {
  return FencedError.isInstance(error) && error.code === 'SANDBOX_GONE'
}
