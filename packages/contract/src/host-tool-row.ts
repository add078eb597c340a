import type { CodeExecutor } from '@fenced/core'

/** One sentence of the contract of host tools. */
export interface HostToolRow {
  readonly name: string
  readonly check: (executor: CodeExecutor) => Promise<void>
}
