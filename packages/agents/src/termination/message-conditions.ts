import { z } from '@fenced/core/zod'
import { autoGenClass } from '../autogen.ts'
import type { AgentEvent } from '../event.ts'
import { toolResultsOf } from '../message/tool-parts.ts'
import { writtenTextOf } from '../message/written-text.ts'
import { agentMessageOf, messagesIn } from '../task/run-task.ts'
import { Termination, type TerminationCheck, terminationWith, type WatchedRun } from './termination.ts'

/** Met when the text that a model or a person wrote contains a text. Output of programs and events are not searched. @throws FencedError `INVALID_OPTIONS`. */
export class TextMentionTermination extends terminationWith<{
  /** Text to find anywhere in what a model or a person wrote. The search is case-sensitive. */
  readonly text: string
  /** Names of the agents whose messages are searched. @default all agents */
  readonly sources?: readonly string[] | undefined
  /**
   * Whether to search the task too. Unlike in AutoGen, a task that says "end with TERMINATE" does not end the run before its
   * first turn.
   *
   * @default false
   */
  readonly includeTask?: boolean | undefined
}>(
  z.strictObject({
    text: z.string().min(1),
    sources: z.array(z.string()).optional(),
    includeTask: z.boolean().default(false),
  }),
) {
  static readonly provider: string = 'TextMentionTermination'

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

/** Met by a TextMessage other than the task. @throws FencedError `INVALID_OPTIONS`. */
export class TextMessageTermination extends terminationWith<{
  /** Name of the sender. @default any sender */
  readonly source?: string | undefined
}>(z.strictObject({ source: z.string().optional() })) {
  static readonly provider: string = 'TextMessageTermination'

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

/** Met when one of the named agents has spoken. The task does not count. @throws FencedError `INVALID_OPTIONS`. */
export class SourceMatchTermination extends terminationWith<{
  /** Names of the agents. */
  readonly sources: readonly string[]
}>(z.strictObject({ sources: z.array(z.string()).min(1) })) {
  static readonly provider: string = 'SourceMatchTermination'

  begin(): TerminationCheck {
    const { sources } = this.options
    return (events) => {
      const found = events.find((event) => agentMessageOf(event) && sources.includes(event.agent))
      return found && `'${found.agent}' answered`
    }
  }
}

/** Met when a message hands the task to an agent named in `metadata.handoff`. @throws FencedError `INVALID_OPTIONS`. */
export class HandoffTermination extends terminationWith<{
  /** Name of the agent that receives the task; `user` for the person who started the run. */
  readonly target: string
}>(z.strictObject({ target: z.string() })) {
  static readonly provider: string = 'HandoffTermination'

  begin(): TerminationCheck {
    const { target } = this.options
    return (events) => {
      const found = messagesIn(events).find(({ metadata }) => metadata?.handoff === target)
      return found && `Handoff to ${target} from ${found.source} detected.`
    }
  }
}

/** Met when a tool has been called. @throws FencedError `INVALID_OPTIONS`. */
export class FunctionCallTermination extends terminationWith<{
  /** Name of the tool. */
  readonly functionName: string
}>(z.strictObject({ functionName: z.string().min(1) })) {
  static readonly provider: string = 'FunctionCallTermination'

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

/** Met when your function returns `true`. @throws FencedError `INVALID_OPTIONS`. */
export class FunctionalTermination extends terminationWith<{
  /**
   * Decides whether a run ends, from the task and, after every turn, the events since the last call. The signal is aborted when
   * the run ends.
   */
  readonly isMet: (
    events: readonly AgentEvent[],
    run: Pick<WatchedRun, 'task' | 'signal'>,
  ) => boolean | Promise<boolean>
  /** Reason for ending the run, as a sentence. @default that the condition is met */
  readonly reason?: string | undefined
}>(
  z.strictObject({
    isMet: z.custom((value) => typeof value === 'function', 'must be a function'),
    reason: z.string().default('Functional termination condition met'),
  }),
) {
  static readonly provider: string = 'FunctionalTermination'

  begin({ task, signal }: WatchedRun): TerminationCheck {
    const { isMet, reason } = this.options
    return async (events) =>
      events.length > 0 && (await isMet(events, { task, signal })) ? reason : undefined
  }
}
