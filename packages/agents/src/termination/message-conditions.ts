import { z } from '@fenced/core/zod'
import type { AgentEvent } from '../event.ts'
import { autoGenClass } from '../message/message.ts'
import { toolResultsOf } from '../message/tool-parts.ts'
import { writtenTextOf } from '../message/written-text.ts'
import { agentMessageOf, messagesIn } from '../task/run-task.ts'
import { ConfiguredTermination, Termination, type TerminationCheck, type WatchedRun } from './termination.ts'

export const textMentionTerminationOptionsSchema = z.strictObject({
  text: z.string().min(1),
  sources: z.array(z.string()).optional(),
  includeTask: z.boolean().default(false),
})

/** Options of {@link TextMentionTermination}. */
export interface TextMentionTerminationOptions {
  /** Text to find anywhere in what a model or a person wrote. The search is case-sensitive. */
  readonly text: string
  /** Names of the agents whose messages are searched. Default: all agents. */
  readonly sources?: readonly string[] | undefined
  /**
   * Whether to search the task too. Default `false`: unlike in AutoGen, a task that says "end with TERMINATE" does not end the
   * run before its first turn.
   */
  readonly includeTask?: boolean | undefined
}

/** Met when the text that a model or a person wrote contains a text. Output of programs and events are not searched. @throws FencedError `INVALID_OPTIONS`. */
export class TextMentionTermination extends ConfiguredTermination<
  typeof textMentionTerminationOptionsSchema
> {
  static readonly provider: string = 'TextMentionTermination'

  constructor(options: TextMentionTerminationOptions) {
    super(textMentionTerminationOptionsSchema, options)
  }

  begin({ task }: WatchedRun): TerminationCheck {
    const { text, sources, includeTask } = this.options
    let asked = includeTask ? task : []
    return (events) => {
      const messages = [...asked, ...messagesIn(events)]
      asked = []
      const isMentioned = messages.some(
        (message) => (sources?.includes(message.source) ?? true) && writtenTextOf(message).includes(text),
      )
      return isMentioned ? `Text '${text}' mentioned` : undefined
    }
  }
}

export const textMessageTerminationOptionsSchema = z.strictObject({ source: z.string().optional() })

/** Options of {@link TextMessageTermination}. */
export interface TextMessageTerminationOptions {
  /** Name of the sender. Default: any sender. */
  readonly source?: string | undefined
}

/** Met by a TextMessage other than the task. @throws FencedError `INVALID_OPTIONS`. */
export class TextMessageTermination extends ConfiguredTermination<
  typeof textMessageTerminationOptionsSchema
> {
  static readonly provider: string = 'TextMessageTermination'

  constructor(options: TextMessageTerminationOptions = {}) {
    super(textMessageTerminationOptionsSchema, options)
  }

  begin(): TerminationCheck {
    const { source } = this.options
    return (events) => {
      const found = messagesIn(events).find(
        (one) => autoGenClass(one) === 'TextMessage' && one.source === (source ?? one.source),
      )
      return found && `Text message received from '${found.source}'`
    }
  }
}

/** Met by a StopMessage: a message with `metadata.stop`. */
export class StopMessageTermination extends Termination {
  static readonly provider: string = 'StopMessageTermination'

  begin(): TerminationCheck {
    return (events) =>
      messagesIn(events).some(({ metadata }) => metadata?.stop === true) ? 'Stop message received' : undefined
  }
}

export const sourceMatchTerminationOptionsSchema = z.strictObject({ sources: z.array(z.string()).min(1) })

/** Options of {@link SourceMatchTermination}. */
export interface SourceMatchTerminationOptions {
  /** Names of the agents. */
  readonly sources: readonly string[]
}

/** Met when one of the named agents has spoken. The task does not count. @throws FencedError `INVALID_OPTIONS`. */
export class SourceMatchTermination extends ConfiguredTermination<
  typeof sourceMatchTerminationOptionsSchema
> {
  static readonly provider: string = 'SourceMatchTermination'

  constructor(options: SourceMatchTerminationOptions) {
    super(sourceMatchTerminationOptionsSchema, options)
  }

  begin(): TerminationCheck {
    const { sources } = this.options
    return (events) => {
      const found = events.find((event) => agentMessageOf(event) && sources.includes(event.agent))
      return found && `'${found.agent}' answered`
    }
  }
}

export const handoffTerminationOptionsSchema = z.strictObject({ target: z.string() })

/** Options of {@link HandoffTermination}. */
export interface HandoffTerminationOptions {
  /** Name of the agent that receives the task; `user` for the person who started the run. */
  readonly target: string
}

/** Met when a message hands the task to an agent named in `metadata.handoff`. @throws FencedError `INVALID_OPTIONS`. */
export class HandoffTermination extends ConfiguredTermination<typeof handoffTerminationOptionsSchema> {
  static readonly provider: string = 'HandoffTermination'

  constructor(options: HandoffTerminationOptions) {
    super(handoffTerminationOptionsSchema, options)
  }

  begin(): TerminationCheck {
    const { target } = this.options
    return (events) => {
      const found = messagesIn(events).find(({ metadata }) => metadata?.handoff === target)
      return found && `Handoff to ${target} from ${found.source} detected.`
    }
  }
}

export const functionCallTerminationOptionsSchema = z.strictObject({ functionName: z.string().min(1) })

/** Options of {@link FunctionCallTermination}. */
export interface FunctionCallTerminationOptions {
  /** Name of the tool. */
  readonly functionName: string
}

/** Met when a tool has been called. @throws FencedError `INVALID_OPTIONS`. */
export class FunctionCallTermination extends ConfiguredTermination<
  typeof functionCallTerminationOptionsSchema
> {
  static readonly provider: string = 'FunctionCallTermination'

  constructor(options: FunctionCallTerminationOptions) {
    super(functionCallTerminationOptionsSchema, options)
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

/**
 * Decides whether a run ends, from the task and, at the end of every turn, the events since the last call. The signal is aborted
 * when the run ends.
 */
export type IsMet = (
  events: readonly AgentEvent[],
  run: Pick<WatchedRun, 'task' | 'signal'>,
) => boolean | Promise<boolean>

export const functionalTerminationOptionsSchema = z.strictObject({
  isMet: z.custom<IsMet>((value) => typeof value === 'function', 'must be a function'),
  reason: z.string().default('Functional termination condition met'),
})

/** Options of {@link FunctionalTermination}. */
export interface FunctionalTerminationOptions {
  /** Called after every turn with the new events. Returns whether the run ends. */
  readonly isMet: IsMet
  /** Reason for ending the run, as a sentence. Default: that the condition is met. */
  readonly reason?: string | undefined
}

/** Met when your function returns `true`. @throws FencedError `INVALID_OPTIONS`. */
export class FunctionalTermination extends ConfiguredTermination<typeof functionalTerminationOptionsSchema> {
  static readonly provider: string = 'FunctionalTermination'

  constructor(options: FunctionalTerminationOptions) {
    super(functionalTerminationOptionsSchema, options)
  }

  begin({ task, signal }: WatchedRun): TerminationCheck {
    const { isMet, reason } = this.options
    return async (events) =>
      events.length > 0 && (await isMet(events, { task, signal })) ? reason : undefined
  }
}
