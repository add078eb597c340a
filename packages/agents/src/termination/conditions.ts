import { z } from '@fenced/core/zod'
import { autoGenClass } from '../autogen.ts'
import type { AgentEvent } from '../event.ts'
import type { Message } from '../message/message.ts'
import { toolResultsOf } from '../message/tool-parts.ts'
import { writtenTextOf } from '../message/written-text.ts'
import { isFunction } from '../model/model-request.ts'
import { agentMessageOf, messagesIn } from '../task/run-task.ts'
import { type TerminationCheck, terminationWith, type WatchedRun } from './termination.ts'

/** Met by the first event that gives a reason. */
function byEvent(reasonOf: (event: AgentEvent) => string | undefined): TerminationCheck {
  return (events) => events.map(reasonOf).find((reason) => reason !== undefined)
}

/** Met by the first message that gives a reason. */
function byMessage(reasonOf: (message: Message) => string | undefined): TerminationCheck {
  return byEvent((event) => {
    const message = agentMessageOf(event)
    return message && reasonOf(message)
  })
}

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
  ({ text, sources, includeTask }, { task }) => {
    let asked = includeTask ? task : []
    return (events) => {
      const messages = [...asked, ...messagesIn(events)]
      asked = []
      const isMentioned = messages.some(
        (message) => (sources?.includes(message.source) ?? true) && writtenTextOf(message).includes(text),
      )
      return isMentioned ? `Text '${text}' mentioned` : undefined
    }
  },
) {
  static readonly provider: string = 'TextMentionTermination'
}

/** Met by a TextMessage other than the task. @throws FencedError `INVALID_OPTIONS`. */
export class TextMessageTermination extends terminationWith<{
  /** Name of the sender. @default any sender */
  readonly source?: string | undefined
}>(z.strictObject({ source: z.string().optional() }), ({ source: wanted }) =>
  byMessage((message) => {
    const { source } = message
    const isMet = autoGenClass(message) === 'TextMessage' && source === (wanted ?? source)
    return isMet ? `Text message received from '${source}'` : undefined
  }),
) {
  static readonly provider: string = 'TextMessageTermination'
}

/** Met by a StopMessage: a message with `metadata.stop`. */
export class StopMessageTermination extends terminationWith(z.strictObject({}), () =>
  byMessage(({ metadata }) => (metadata?.stop === true ? 'Stop message received' : undefined)),
) {
  static readonly provider: string = 'StopMessageTermination'
}

/** Met when one of the named agents has spoken. The task does not count. @throws FencedError `INVALID_OPTIONS`. */
export class SourceMatchTermination extends terminationWith<{
  /** Names of the agents. */
  readonly sources: readonly string[]
}>(z.strictObject({ sources: z.array(z.string()).min(1) }), ({ sources }) =>
  byEvent((event) =>
    agentMessageOf(event) && sources.includes(event.agent) ? `'${event.agent}' answered` : undefined,
  ),
) {
  static readonly provider: string = 'SourceMatchTermination'
}

/** Met when a message hands the task to an agent named in `metadata.handoff`. @throws FencedError `INVALID_OPTIONS`. */
export class HandoffTermination extends terminationWith<{
  /** Name of the agent that receives the task; `user` for the person who started the run. */
  readonly target: string
}>(z.strictObject({ target: z.string() }), ({ target }) =>
  byMessage(({ metadata, source }) =>
    metadata?.handoff === target ? `Handoff to ${target} from ${source} detected.` : undefined,
  ),
) {
  static readonly provider: string = 'HandoffTermination'
}

/** Met when a tool has been called. @throws FencedError `INVALID_OPTIONS`. */
export class FunctionCallTermination extends terminationWith<{
  /** Name of the tool. */
  readonly functionName: string
}>(z.strictObject({ functionName: z.string().min(1) }), ({ functionName }) =>
  byEvent((event) =>
    calledTools(event).includes(functionName) ? `Function '${functionName}' was executed.` : undefined,
  ),
) {
  static readonly provider: string = 'FunctionCallTermination'
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
    isMet: z.custom(isFunction, 'must be a function'),
    reason: z.string().default('Functional termination condition met'),
  }),
  ({ isMet, reason }, { task, signal }) =>
    async (events) =>
      events.length > 0 && (await isMet(events, { task, signal })) ? reason : undefined,
) {
  static readonly provider: string = 'FunctionalTermination'
}

/** Met when a run reaches a number of messages. @throws FencedError `INVALID_OPTIONS`. */
export class MaxMessageTermination extends terminationWith<{
  /** Maximum number of messages in one run, including the task. */
  readonly maxMessages: number
  /** Whether to count events as well. @default false */
  readonly includeAgentEvents?: boolean | undefined
}>(
  z.strictObject({ maxMessages: z.int().positive(), includeAgentEvents: z.boolean().default(false) }),
  ({ maxMessages, includeAgentEvents }, { task }) => {
    let count = task.length
    return (events) => {
      count += includeAgentEvents ? events.length : messagesIn(events).length
      if (count < maxMessages) return undefined
      return `Maximum number of messages ${maxMessages} reached, current message count: ${count}`
    }
  },
) {
  static readonly provider: string = 'MaxMessageTermination'
}

const limit = z.int().positive().optional()
const isAtLeast = (count: number, most = Number.POSITIVE_INFINITY) => count >= most

/**
 * Met when all speakers' models together have used a number of tokens in one run. It is checked at the end of each turn, so a
 * turn may exceed the limit.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class TokenUsageTermination extends terminationWith<{
  /** Limit on input and output tokens combined. @default no limit */
  readonly maxTotalTokens?: number | undefined
  /** Limit on input tokens. @default no limit */
  readonly maxInputTokens?: number | undefined
  /** Limit on output tokens. @default no limit */
  readonly maxOutputTokens?: number | undefined
}>(
  z
    .strictObject({ maxTotalTokens: limit, maxInputTokens: limit, maxOutputTokens: limit })
    .refine(
      (limits) => Object.values(limits).some((one) => one !== undefined),
      'at least one limit is needed',
    ),
  ({ maxTotalTokens, maxInputTokens, maxOutputTokens }) => {
    let [total, input, output] = [0, 0, 0]
    return (events) => {
      for (const { metadata } of messagesIn(events)) {
        total += metadata?.usage?.totalTokens ?? 0
        input += metadata?.usage?.inputTokens ?? 0
        output += metadata?.usage?.outputTokens ?? 0
      }
      const isReached =
        isAtLeast(total, maxTotalTokens) ||
        isAtLeast(input, maxInputTokens) ||
        isAtLeast(output, maxOutputTokens)
      if (!isReached) return undefined
      return `Token usage limit reached, total tokens: ${total}, input tokens: ${input}, output tokens: ${output}`
    }
  },
) {
  static readonly provider: string = 'TokenUsageTermination'
}

/** What a timer can wait for, in milliseconds. */
const longestMs = 2 ** 31 - 1

/**
 * Met when a run reaches its time limit. This is a deadline: the current speaker is cancelled, and the messages and events so far
 * are kept. (AutoGen checks the time only between messages.)
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class TimeoutTermination extends terminationWith<{
  /** Time limit for a run, in milliseconds. */
  readonly timeoutMs: number
}>(z.strictObject({ timeoutMs: z.number().positive().max(longestMs) }), ({ timeoutMs }, { signal, stop }) => {
  const reason = `Timeout of ${timeoutMs} ms reached`
  const deadline = performance.now() + timeoutMs
  const timer = setTimeout(() => stop(reason), timeoutMs)
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  // A speaker that kept the process busy has kept the timer from firing as well.
  return () => (performance.now() >= deadline ? reason : undefined)
}) {
  static readonly provider: string = 'TimeoutTermination'
}

/**
 * Ends runs from outside once the current turn has ended, for example for a stop button. To end a run immediately, abort its
 * signal.
 */
export class ExternalTermination extends terminationWith(z.strictObject({})) {
  static readonly provider: string = 'ExternalTermination'
  readonly #runs = new Set<{ isEnded: boolean }>()

  /** Ends all runs that the condition is watching now. Later runs are not affected. */
  set(): void {
    for (const run of this.#runs) run.isEnded = true
  }

  begin({ signal }: WatchedRun): TerminationCheck {
    const run = { isEnded: false }
    this.#runs.add(run)
    signal.addEventListener('abort', () => this.#runs.delete(run), { once: true })
    return () => (run.isEnded ? 'External termination requested' : undefined)
  }
}
