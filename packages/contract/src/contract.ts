import type { CodeBlock, CodeExecutor, ExecutorCapabilities } from '@fenced/core'
import type { DriverExecutorParts } from '@fenced/core/driver'
import type { ContractPrograms } from './programs.ts'

/** The two test runner functions that the suite uses. Those from Vitest and `node:test` are suitable. */
export interface TestFunctions {
  describe(name: string, body: () => void): unknown
  it(name: string, options: TestOptions, body: (context: TestContext) => Promise<void>): unknown
}

/** What a test runner passes to a test. */
interface TestContext {
  /** Skips the running test. */
  skip(reason: string): unknown
}

/** The options of a test, in Vitest's and `node:test`'s words. */
interface TestOptions {
  readonly skip: boolean
  /** Time limit, in milliseconds. */
  readonly timeout: number
  /** `false` where a test uses the same executor as the one before it, also in a suite whose tests run concurrently. */
  readonly concurrent?: false
}

/** Options for an executor that the suite creates. */
export type ContractOptions = Partial<DriverExecutorParts['options']> & { workDir?: string }

/** An executor under test. */
export interface ContractSubject {
  readonly name: string
  /** Creates a new, unstarted executor with these options. The suite stops it. */
  create(options: ContractOptions): CodeExecutor
  /** Languages that have no interpreter on this machine. Their rows are skipped. Default: none. */
  readonly missingLanguages?: readonly string[]
  /**
   * Programs in further languages, keyed by language ID. Only `print` is required. The contract includes programs in Python,
   * JavaScript and sh.
   */
  readonly programs?: Readonly<Record<string, Partial<ContractPrograms> & Pick<ContractPrograms, 'print'>>>
  /** Languages for the hostile inputs. Default: all of the executor's languages that have programs. */
  readonly faultLanguages?: readonly string[]
  /** Rows to skip because they do not apply to this executor, keyed by name, each with a reason. */
  readonly except?: Readonly<Record<string, string>>
}

/** Context of a row. */
export interface ContractContext {
  /** Makes an executor for this row. The row disposes it. */
  readonly create: (options?: ContractOptions) => CodeExecutor
  readonly capabilities: ExecutorCapabilities
  /** ID of the language of the programs. */
  readonly language: string
  /** All programs that the row needs. */
  readonly programs: ContractPrograms
  /** A block of lines in the language of the programs. */
  readonly block: (...lines: string[]) => CodeBlock
}

/** The subject of a row that needs no separate executor. */
interface SharedContext extends Omit<ContractContext, 'create'> {
  /** Other rows have used it, and more will. */
  readonly executor: CodeExecutor
}

/** What decides whether a row applies. */
export interface RowSubject {
  readonly capabilities: ExecutorCapabilities
  /** Has not started. */
  readonly executor: CodeExecutor
  /** ID of the language of the row's programs. */
  readonly language: string
}

interface ContractSentence {
  readonly name: string
  /** The required programs. The row is skipped if one is missing. Default none. */
  readonly needs?: ReadonlyArray<keyof ContractPrograms>
  /** Why it does not apply; `undefined` when it does. */
  readonly unless?: (subject: RowSubject) => string | undefined
}

/** A sentence of the contract that is about the life or the options of an executor. */
interface OwnRow extends ContractSentence {
  readonly check: (context: ContractContext) => Promise<void>
}

/** A rule of the contract. Its check neither stops nor breaks an executor, and only uses its own files. */
export interface SharedRow extends ContractSentence {
  readonly checkShared: (context: SharedContext) => Promise<void>
}

/** One sentence of the contract. */
export type ContractRow = OwnRow | SharedRow

/** Its programs are Python. */
export function requiresPython({ capabilities: { languages } }: RowSubject): string | undefined {
  return languages.includes('python') ? undefined : 'it does not run Python'
}

/** It speaks of processes. Languages with variables have one for all blocks. */
export function unlessStateful({ capabilities: { stateful }, language }: RowSubject): string | undefined {
  return stateful.includes(language) ? 'its blocks are not separate processes' : undefined
}
