import { parseOptions } from '@fenced/core/driver'
import { z } from 'zod'
import type { AgentEvent, AgentMessage } from '../task/agent-message.ts'
import { Termination } from './termination.ts'
import type { TerminationCheck } from './termination-condition.ts'

export const functionCallTerminationOptionsSchema = z.strictObject({ functionName: z.string().min(1) })

/** Options of {@link FunctionCallTermination}. */
export interface FunctionCallTerminationOptions {
  /** The name of the tool. */
  readonly functionName: string
}

/** Met when a tool has been called. @throws FencedError `INVALID_OPTIONS`. */
export class FunctionCallTermination extends Termination {
  static readonly provider: string = 'FunctionCallTermination'
  readonly options: z.output<typeof functionCallTerminationOptionsSchema>

  constructor(options: FunctionCallTerminationOptions) {
    super()
    this.options = parseOptions(functionCallTerminationOptionsSchema, options, 'FunctionCallTermination')
  }

  begin(): TerminationCheck {
    const { functionName } = this.options
    return (items) =>
      items.some((item) => calledTools(item).includes(functionName))
        ? `Function '${functionName}' was executed.`
        : undefined
  }
}

function calledTools(item: AgentMessage | AgentEvent): string[] {
  return item.type === 'ToolCallExecutionEvent' || item.type === 'ToolCallSummaryMessage'
    ? item.results.map(({ name }) => name)
    : []
}
