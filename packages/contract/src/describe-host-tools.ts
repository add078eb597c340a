import type { CodeExecutor } from '@fenced/core'
import type { TestFunctions } from './contract.ts'
import { hostToolRows } from './host-tool-rows.ts'
import { hostileToolRows } from './hostile-tool-rows.ts'
import { nodeToolRows } from './node-tool-rows.ts'

/** A kind of executor under test whose programs can call tools of the host: those of Python and, where Node is there, of JavaScript and TypeScript. */
export interface HostToolsSubject {
  readonly name: string
  /** Makes one. The suite stops it. */
  create(): CodeExecutor
  /** Why programs of Node are not run there. Default: they are. */
  readonly withoutNode?: string
  /** Rows that do not hold for it, by their name, each with the reason. */
  readonly except?: Readonly<Record<string, string>>
}

/** A hang, not a speed. */
const timeout = 120_000

/**
 * Tests programs that call tools of the host (`execute(blocks, { tools })`). Registers the tests with a test runner. They run
 * real and hostile programs in one executor.
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
