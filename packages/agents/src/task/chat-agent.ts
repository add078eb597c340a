import type { OutputFile } from '@fenced/core'
import type { Running } from '@fenced/core/internal'
import type { UsageSummary } from '../model/usage.ts'
import type { DroppedEvents } from '../running/weighed-events.ts'
import type { AgentEvent, AgentMessage } from './agent-message.ts'

/** What an agent answers to messages. */
export interface Response {
  type: 'Response'
  message: AgentMessage
  /** What it did on its way to the message, in order; pieces of tokens and output are left out. */
  innerMessages: readonly (AgentMessage | AgentEvent)[]
  /** Why it ended before it was done: a sentence; absent where it simply answered. */
  stopReason?: string
}

/** What a task came to. Plain data. */
export interface TaskResult {
  type: 'TaskResult'
  /** `cancelled` when the caller's signal, or leaving the loop over the events, ended it. */
  status: 'done' | 'cancelled'
  /** The answer: what was said last; empty where nobody has answered. */
  text: string
  /** The files that programs have made or changed, each once. */
  files: readonly OutputFile[]
  /** Of every model that was asked, as far as the messages tell. */
  usage: UsageSummary
  /**
   * Everything that was said and done, in order, the task itself first; pieces of tokens and output are left out.
   * Awaiting shows as much of it as iterating.
   */
  messages: readonly (AgentMessage | AgentEvent)[]
  /** Why it ended: a sentence; absent where the agent simply answered. */
  stopReason?: string
}

/** What is iterated while messages are answered: events as they come, and last the response. */
export type ResponseItem = AgentMessage | AgentEvent | Response | DroppedEvents

/** What is iterated while a task is done: messages and events as they come, and last the result. */
export type TaskItem = AgentMessage | AgentEvent | TaskResult | DroppedEvents

/** Options of `onMessages`. */
export interface OnMessagesOptions {
  /** Ends it, and a program that runs. */
  readonly signal?: AbortSignal | undefined
}

/** Options of `run`. */
export interface RunTaskOptions {
  /** What is to be done: a text, which `user` says, a message, or several. Default: go on with what was said before. */
  readonly task?: string | AgentMessage | readonly AgentMessage[] | undefined
  /** Ends it, and a program that runs. */
  readonly signal?: AbortSignal | undefined
  /** Whether the task itself stands among the messages. Default `true`. */
  readonly outputTaskMessages?: boolean | undefined
}

/** Does tasks: an agent, or a team. Await `run` for the result, iterate it for what happens. */
export interface TaskRunner {
  /** @param task - what is to be done, alone or with options; nothing to go on with what was said before. */
  run(task?: string | RunTaskOptions): Running<TaskResult, TaskItem>
  /** Forgets everything. */
  reset(): Promise<void>
  /** What it remembers, as plain data. */
  saveState(): Promise<AgentState>
  /** Goes on where another one was saved. @throws FencedError `INVALID_STATE`. */
  loadState(state: AgentState): Promise<void>
}

/** What an agent or a team remembers, as plain data. */
export interface AgentState {
  readonly type: string
  readonly version: number
  readonly [field: string]: unknown
}

/** An agent that can sit in a team. It remembers what it heard: it gets only what is new. */
export interface ChatAgent extends TaskRunner {
  readonly name: string
  /** Its description for other agents. */
  readonly description: string
  /**
   * Answers messages that are new to it; without any it continues with what it heard before. It remembers them also when
   * it is cancelled or fails before it has answered: they do not come again.
   */
  onMessages(messages: readonly AgentMessage[], options?: OnMessagesOptions): Running<Response, ResponseItem>
}

/** What an agent tells on its way to a response. */
export type AgentItem = Exclude<ResponseItem, Response | { type: 'events-dropped' }>
