import type { ReadLine } from '@fenced/core/driver'
import type { Request } from '../protocol/message.ts'

/** How a cell is run. */
export interface RunOptions {
  /** Whether the code stays out of the kernel's history and publishes nothing. */
  readonly silent?: boolean
  /** Whether the code is one expression: the kernel evaluates it without its hooks for cells. An error of it does not fail the cell. */
  readonly isExpression?: boolean
  /** Reads the lines that the program asks for. A program that asks for input fails when this is absent. */
  readonly readLine?: ReadLine | undefined
}

export function executeRequest(
  code: string,
  { silent = false, isExpression = false, readLine }: RunOptions,
): Request {
  return {
    channel: 'shell',
    type: 'execute_request',
    content: {
      code: isExpression ? '' : code,
      silent,
      store_history: !silent,
      user_expressions: isExpression ? { expression: code } : {},
      allow_stdin: readLine !== undefined,
      // The engine stops after a failed block.
      stop_on_error: false,
    },
  }
}
