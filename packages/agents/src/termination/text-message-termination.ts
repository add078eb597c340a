import { parseOptions } from '@fenced/core/driver'
import { z } from 'zod'
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
    return (items) => {
      const found = items.find(
        (item) => item.type === 'TextMessage' && (source === undefined || item.source === source),
      )
      return found === undefined ? undefined : `Text message received from '${found.source}'`
    }
  }
}
