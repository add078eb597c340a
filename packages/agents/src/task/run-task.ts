import { FencedError } from '@fenced/core'
import type { Running } from '@fenced/core/internal'
import { type RunContext, runWithEvents } from '../running/run-with-events.ts'
import { type AgentEvent, type AgentMessage, isMessage, made, type TextMessage } from './agent-message.ts'
import type { ChatAgent, ResponseItem, RunTaskOptions, TaskItem, TaskResult } from './chat-agent.ts'
import { taskResult } from './task-result.ts'

/** Something that is iterated, without what stands where items were left out. */
type Told<Item> = Exclude<Item, { type: 'events-dropped' }>

/** Lets one agent do a task: what `run` of an agent is. */
export function runAgentTask(
  agent: ChatAgent,
  given?: string | RunTaskOptions,
): Running<TaskResult, TaskItem> {
  const { task, signal, outputTaskMessages = true } = taskOptions(given)
  return runTask(async (context) => {
    const asked = taskMessages(task)
    const messages: (AgentMessage | AgentEvent)[] = []
    const tell = async (item: AgentMessage | AgentEvent) => {
      if (!isPiece(item)) messages.push(item)
      await context.emit(item)
      // The one who is asked has to have seen what it is about.
      if (isQuestion(item)) await context.drained()
    }
    let stopReason: string | undefined
    try {
      if (outputTaskMessages) for (const message of asked) await tell(message)
      for await (const item of agent.onMessages(asked, { signal: context.signal })) {
        if (item.type === 'Response') {
          stopReason = item.stopReason
          await tell(item.message)
        } else if (item.type !== 'events-dropped') await tell(item)
      }
      const why = stopReason === undefined ? {} : { stopReason }
      return taskResult({ task: asked, status: 'done', messages, ...why })
    } catch (error) {
      if (!context.signal.aborted) throw error
      return taskResult({ task: asked, status: 'cancelled', messages, stopReason: 'It was cancelled.' })
    }
  }, signal)
}

/** Begins a task at once; its result is the last item. */
export function runTask(
  run: (context: RunContext<Told<TaskItem>>) => Promise<TaskResult>,
  signal?: AbortSignal,
): Running<TaskResult, TaskItem> {
  return runWithEvents<Told<TaskItem>, TaskResult>({
    run: async (context) => {
      const result = await run(context)
      await context.emit(result)
      return result
    },
    lengthOf: itemLength,
    signal,
  })
}

/** What was given to `run`. */
export function taskOptions(given: string | RunTaskOptions = {}): RunTaskOptions {
  return typeof given === 'string' ? { task: given } : given
}

/** The messages that a task means. @throws FencedError `INVALID_TASK` for an empty list. */
export function taskMessages(task: RunTaskOptions['task']): readonly AgentMessage[] {
  if (task === undefined) return []
  if (typeof task === 'string') {
    return [made<TextMessage>({ type: 'TextMessage', source: 'user', content: task })]
  }
  const messages = Array.isArray(task) ? (task as readonly AgentMessage[]) : [task as AgentMessage]
  if (messages.length > 0 && messages.every(isMessage)) return messages
  throw new FencedError({
    code: 'INVALID_TASK',
    message: 'A task is a text, a message, or a list of at least one message.',
  })
}

/** Pieces are for who watches: what they are pieces of comes whole. */
export function isPiece({ type }: { readonly type: string }): boolean {
  return type === 'ModelClientStreamingChunkEvent' || type === 'CodeOutputEvent'
}

/** Whether somebody is about to be asked. */
export function isQuestion({ type }: { readonly type: string }): boolean {
  return type === 'UserInputRequestedEvent' || type === 'ApprovalRequestedEvent'
}

/** How much text an item holds. */
export function itemLength(item: Told<TaskItem> | Told<ResponseItem>): number {
  if (item.type === 'CodeOutputEvent') return 'text' in item.event ? item.event.text.length : 0
  return 'content' in item ? item.content.length : 0
}
