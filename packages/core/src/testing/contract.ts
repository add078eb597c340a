import type { CodeExecutor, ExecutorCapabilities } from '../code-executor.ts'
import type { EngineOptions } from '../engine/options.ts'

/** The two functions of a test runner that the suite uses; those of Vitest and of `node:test` fit. */
export interface TestFunctions {
  describe(name: string, body: () => void): unknown
  it(name: string, options: { skip: boolean; timeout: number }, body: () => Promise<void>): unknown
}

/** What the suite asks of an executor that it makes. */
export type ContractOptions = Partial<EngineOptions> & { workDir?: string }

/** An executor under test. */
export interface ContractSubject {
  readonly name: string
  /** A fresh, unstarted executor with these options. The suite stops it. */
  create(options: ContractOptions): CodeExecutor
  /** Languages whose interpreter is not on this machine; no row needs them then. Default none. */
  readonly missingLanguages?: readonly string[]
  /** Rows that do not hold for this place, by their name, each with the reason. */
  readonly except?: Readonly<Record<string, string>>
}

/** What a row works with. */
export interface ContractContext {
  readonly create: (options?: ContractOptions) => CodeExecutor
  readonly capabilities: ExecutorCapabilities
}

/** One sentence of the contract. */
export interface ContractRow {
  readonly name: string
  /** Why it does not apply to such an executor; `undefined` when it does. */
  readonly unless?: (capabilities: ExecutorCapabilities) => string | undefined
  readonly check: (context: ContractContext) => Promise<void>
}

/** Its programs are Python. */
export function unlessPython({ languages }: ExecutorCapabilities): string | undefined {
  return languages.includes('python') ? undefined : 'it does not run Python'
}

/** It speaks of processes, of which a kernel has one for all blocks. */
export function unlessProcesses(capabilities: ExecutorCapabilities): string | undefined {
  return (
    unlessPython(capabilities) ??
    (capabilities.stateful ? 'its blocks are no processes of their own' : undefined)
  )
}
