import { parseOptions } from '@fenced/core/driver'
import { z } from 'zod'
import { textOf } from '../message/message.ts'
import { agentMessageOf } from '../task/run-task.ts'
import { Termination } from './termination.ts'
import type { TerminationCheck, WatchedRun } from './termination-condition.ts'

export const textMentionTerminationOptionsSchema = z.strictObject({
  text: z.string().min(1),
  sources: z.array(z.string()).optional(),
  includeTask: z.boolean().default(false),
})

/** Options of {@link TextMentionTermination}. */
export interface TextMentionTerminationOptions {
  /** What is looked for, anywhere in a message, in the same upper and lower case. */
  readonly text: string
  /** Whose messages are looked at, by name. Default: everybody's. */
  readonly sources?: readonly string[] | undefined
  /**
   * Whether the task is looked at as well. Default `false`: a task that asks to say "TERMINATE" at the end does not end the
   * run before anybody has spoken, as it does in AutoGen.
   */
  readonly includeTask?: boolean | undefined
}

/** Met when a message holds a text. Events are not looked at. @throws FencedError `INVALID_OPTIONS`. */
export class TextMentionTermination extends Termination {
  static readonly provider: string = 'TextMentionTermination'
  readonly options: z.output<typeof textMentionTerminationOptionsSchema>

  constructor(options: TextMentionTerminationOptions) {
    super()
    this.options = parseOptions(textMentionTerminationOptionsSchema, options, 'TextMentionTermination')
  }

  begin({ task }: WatchedRun): TerminationCheck {
    const { text, sources, includeTask } = this.options
    let asked = includeTask ? task : []
    return (events) => {
      const messages = [...asked, ...events.flatMap((event) => agentMessageOf(event) ?? [])]
      asked = []
      const isMentioned = messages.some(
        (message) => (sources?.includes(message.source) ?? true) && textOf(message).includes(text),
      )
      return isMentioned ? `Text '${text}' mentioned` : undefined
    }
  }
}
