import type { CodeBlock } from '@fenced/markdown'
import { definedOptions } from '@fenced/shared'
import type { CodeExecutor, ExecuteOptions } from '../code-executor.ts'
import type { Execution } from '../execution.ts'
import type { AboutCode } from './code-questions.ts'

/** Key of a property of an executor: whether it asks before it runs anything, or does so where a call has `ask`. Absent: neither. */
export const asksAboutCode: unique symbol = Symbol.for('fenced.asksAboutCode') as never

/** See {@link asksAboutCode}. */
export type AsksAboutCode = 'always' | 'in a call' | undefined

/** How an executor asks. */
export function askingOf(executor: CodeExecutor): AsksAboutCode {
  return (executor as { readonly [asksAboutCode]?: AsksAboutCode })[asksAboutCode]
}

/** Whether an executor asks before it runs anything. */
export function asksForApproval(executor: CodeExecutor): boolean {
  return askingOf(executor) === 'always'
}

/** Key of an option of `execute` for the parts of a question beside the blocks. Other installed copies of this package find it, too. */
const aboutCode: unique symbol = Symbol.for('fenced.aboutCode') as never

interface WithAbout {
  readonly [aboutCode]?: AboutCode
}

/** The parts of a question beside the blocks, in the options of a call. */
export function aboutOf(options: unknown): AboutCode {
  return (Object(options) as WithAbout)[aboutCode] ?? {}
}

/** Runs code of an agent, with more parts for the question about it. */
export function executeAbout(
  executor: CodeExecutor,
  blocks: readonly CodeBlock[],
  { about = {}, ...options }: ExecuteOptions & { readonly about?: AboutCode | undefined },
): Execution {
  const extended: ExecuteOptions & WithAbout = { ...definedOptions(options), [aboutCode]: about }
  return executor.execute(blocks, extended)
}
