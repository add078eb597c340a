import { parseOptions } from '@fenced/core/driver'
import { z } from 'zod'
import type { AgentEvent } from '../event.ts'
import { toolResultsOf } from '../message/tool-parts.ts'
import { agentMessageOf } from '../task/run-task.ts'
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
    return (events) =>
      events.some((event) => calledTools(event).includes(functionName))
        ? `Function '${functionName}' was executed.`
        : undefined
  }
}

function calledTools(event: AgentEvent): string[] {
  const message = agentMessageOf(event)
  if (message !== undefined) return toolResultsOf(message).map(({ toolName }) => toolName)
  return event.type === 'tool-results' ? event.results.map(({ name }) => name) : []
}
