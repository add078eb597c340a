import type { CodeExecutor } from '@fenced/core'
import type { TestFunctions } from './contract.ts'
import { hostToolRows } from './host-tool-rows.ts'
import { hostileToolRows } from './hostile-tool-rows.ts'
import { nodeToolRows } from './node-tool-rows.ts'

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

/** A hang, not a speed. */
const timeout = 120_000

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
export function describeHostTools({ describe, it }: TestFunctions, subject: HostToolsSubject): void {
  const chapters = {
    'host tools': hostToolRows,
    'hostile programs with host tools': hostileToolRows,
    'host tools of programs of Node': nodeToolRows,
  }
  let executor: CodeExecutor | undefined
  for (const [chapter, rows] of Object.entries(chapters)) {
    describe(`${subject.name}: ${chapter}`, () => {
      for (const { name, check } of rows) {
        const reason = subject.except?.[name] ?? (rows === nodeToolRows ? subject.withoutNode : undefined)
        const title = reason === undefined ? name : `${name} (skipped: ${reason})`
        it(title, { skip: reason !== undefined, timeout, concurrent: false }, async () => {
          executor ??= subject.create()
          await check(executor)
        })
      }
    })
  }
  describe(`${subject.name}: the end`, () => {
    it('the executor of these rows stops', { skip: false, timeout, concurrent: false }, async () => {
      await executor?.stop()
    })
  })
}
