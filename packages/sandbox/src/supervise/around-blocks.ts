import type { Notice } from '@fenced/core'
import type { HostWorkDirectory, StartContext } from '@fenced/core/driver'
import type { Sandbox } from '@fenced/core/sandbox'

/** What a sandbox does around the blocks that run in it, beside what every sandbox can do. */
export interface AroundBlocks {
  /** The working directory on this machine, whether its processes see it or a copy. */
  readonly workDirectory: HostWorkDirectory
  /** Whether a process may stay in it while no block runs. Known after the start. */
  readonly mayRest: boolean
  /** Makes sure that a sandbox with all files of the working directory runs. A notice reports a replaced sandbox. */
  beforeBlock(context: StartContext): Promise<void>
  /** Brings what the block made. */
  afterBlock(context: StartContext): Promise<void>
  /** Why a block was not begun within its time, where what the sandbox belongs to does not answer. It does not fail. */
  silence(): Promise<Notice | undefined>
  /**
   * Removes the sandbox, because processes of a block would continue to run in it. Never rejects. If what the sandbox belongs to does
   * not answer, returns that as the reason why the end of the block is not known, and leaves the removal to the next start.
   */
  afterStuckBlock(context: StartContext): Promise<Notice | undefined>
}

/** Whether a sandbox has something to do around blocks. */
export function hasAroundBlocks(sandbox: Sandbox): sandbox is Sandbox & AroundBlocks {
  return typeof (sandbox as Partial<AroundBlocks>).beforeBlock === 'function'
}
