import { parseOptions } from '@fenced/core/driver'
import { z } from 'zod'
import { autoGenClass } from '../message/message.ts'
import { agentMessageOf } from '../task/run-task.ts'
import { Termination } from './termination.ts'
import type { TerminationCheck } from './termination-condition.ts'

export const textMessageTerminationOptionsSchema = z.strictObject({ source: z.string().optional() })

/** Options of {@link TextMessageTermination}. */
export interface TextMessageTerminationOptions {
  /** The name of the one who is to have said it. Default: anybody. */
  readonly source?: string | undefined
}

/** Met when somebody has said a TextMessage; the task is none. @throws FencedError `INVALID_OPTIONS`. */
export class TextMessageTermination extends Termination {
  static readonly provider: string = 'TextMessageTermination'
  readonly options: z.output<typeof textMessageTerminationOptionsSchema>

  constructor(options: TextMessageTerminationOptions = {}) {
    super()
    this.options = parseOptions(textMessageTerminationOptionsSchema, options, 'TextMessageTermination')
  }

  begin(): TerminationCheck {
    const { source } = this.options
    return (events) => {
      const messages = events.flatMap((event) => agentMessageOf(event) ?? [])
      const found = messages.find(
        (one) => autoGenClass(one) === 'TextMessage' && one.source === (source ?? one.source),
      )
      return found && `Text message received from '${found.source}'`
    }
  }
}
