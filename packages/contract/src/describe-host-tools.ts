import type { CodeExecutor } from '@fenced/core'
import type { TestFunctions } from './contract.ts'
import { type HostToolRow, hostToolContext } from './host-tool-row.ts'
import { hostToolRows } from './host-tool-rows.ts'
import { hostileToolRows } from './hostile-tool-rows.ts'
import { nodeToolRows } from './node-tool-rows.ts'
import { describeSuite } from './suite.ts'

/**
 * A kind of executor under test whose programs can call host tools: Python programs and, if Node is available, JavaScript and
 * TypeScript programs.
 */
export interface HostToolsSubject {
  readonly name: string
  /** Creates an executor. The suite stops it. */
  create(): CodeExecutor
  /** The reason why Node programs are not run. Default: they are run. */
  readonly withoutNode?: string
  /** Rows to skip because they do not apply, keyed by name, each with a reason. */
  readonly except?: Readonly<Record<string, string>>
}

/**
 * Registers tests for programs that call host tools (`execute(blocks, { tools })`) with a test runner. They run real and hostile
 * programs in one executor.
 *
 * @example
 * ```ts
 * import { describe, it } from 'vitest' // or from 'node:test'
 * import { describeHostTools } from '@fenced/contract'
 *
 * describeHostTools({ describe, it }, { name: 'mine', create: () => new MyExecutor() })
 * ```
 */
export function describeHostTools(functions: TestFunctions, subject: HostToolsSubject): void {
  const isOfNode = (row: HostToolRow) => nodeToolRows.includes(row)
  describeSuite(functions, {
    name: subject.name,
    chapters: {
      'host tools': hostToolRows,
      'hostile programs with host tools': hostileToolRows,
      'host tools of programs of Node': nodeToolRows,
    },
    isOne: true,
    ending: 'the executor of these rows stops',
    create: () => subject.create(),
    end: (executor) => executor.stop(),
    whySkipped: (row) => subject.except?.[row.name] ?? (isOfNode(row) ? subject.withoutNode : undefined),
    check: (row, executor) => row.check(hostToolContext(executor, isOfNode(row) ? 'javascript' : 'python')),
  })
}
