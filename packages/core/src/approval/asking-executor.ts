import type { CodeBlock } from '@fenced/markdown'
import type { CodeExecutor, ExecuteOptions } from '../code-executor.ts'
import type { Execution } from '../execution.ts'
import { definedOptions } from '../options/defined-options.ts'
import type { ApprovalFile, CodeApprovalRequest } from './approval-request.ts'
import type { CodeToApprove } from './code-request.ts'

/** The call of an executor that asks, with what its question has beside the blocks. Other installed copies of this package find it, too. */
export const executeAsking: unique symbol = Symbol.for('fenced.executeAsking') as never

/** An executor that asks before it runs anything. */
export interface AskingExecutor extends CodeExecutor {
  [executeAsking](blocks: readonly CodeBlock[], options: ExecuteOptions, extras: Extras): Execution
}

/** Whether an executor asks before it runs anything. */
export function asksForApproval(executor: CodeExecutor): executor is AskingExecutor {
  return executeAsking in executor
}

/**
 * Runs a command of a sandbox session. A question about it has the files that the command writes, and an answer is
 * not remembered for the command alone: the code that it runs is in these files.
 */
export function executeInSession(
  executor: CodeExecutor,
  blocks: readonly CodeBlock[],
  { files, ...options }: ExecuteOptions & { readonly files?: readonly ApprovalFile[] | undefined },
): Execution {
  return asksForApproval(executor)
    ? executor[executeAsking](blocks, options, { files, remembersCode: false })
    : executor.execute(blocks, definedOptions(options))
}

/** The same for an agent: the question has what its model wrote around the code, and which try it is. */
export function executeForAgent(
  executor: CodeExecutor,
  blocks: readonly CodeBlock[],
  { about = {}, ...options }: ExecuteOptions & { readonly about?: AgentCode | undefined },
): Execution {
  return asksForApproval(executor)
    ? executor[executeAsking](blocks, options, about)
    : executor.execute(blocks, definedOptions(options))
}

/** Code as an agent asks about it. */
export interface AgentCode extends Partial<Pick<CodeToApprove, 'context' | 'retryAttempt'>> {
  /**
   * The open question of a saved agent. The same question about the same code on the same target keeps its id when it is
   * repeated.
   */
  readonly saved?: CodeApprovalRequest | undefined
  /**
   * The executor died before the programs began, and was started again. Where they were allowed then, they run without another
   * question.
   */
  readonly resumes?: boolean | undefined
}

/** Parts of a question beside the blocks. */
export type Extras = AgentCode &
  Pick<CodeToApprove, 'files' | 'remembersCode'> & {
    /** The question was asked before, and this is it. */
    readonly kept?: CodeApprovalRequest
  }
