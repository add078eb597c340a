import type { Notice } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import type { HostWorkDirectory, Sandbox } from '@fenced/core/sandbox'

/** What a sandbox does around the blocks that run in it, beside what every sandbox can do. */
export interface AroundBlocks {
  /** The working directory on this machine, whether its processes see it or a copy. */
  readonly workDirectory: HostWorkDirectory
  /** Whether a process may stay in it while no block runs. Known after the start. */
  readonly mayRest: boolean
  /** Makes sure that there is a sandbox, with all that the working directory holds. A notice says so when it is another one. */
  beforeBlock(context: StartContext): Promise<void>
  /** Brings what the block made. */
  afterBlock(context: StartContext): Promise<void>
  /** Why a block was not begun within its time, where what the sandbox belongs to does not answer. It does not fail. */
  silence(): Promise<Notice | undefined>
  /** Takes the sandbox down, because something of a block would go on in it. It does not fail. */
  afterStuckBlock(context: StartContext): Promise<void>
}

/** Whether a sandbox has something to do around blocks. */
export function hasAroundBlocks(sandbox: Sandbox): sandbox is Sandbox & AroundBlocks {
  return typeof (sandbox as Partial<AroundBlocks>).beforeBlock === 'function'
}
