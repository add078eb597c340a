import type { Running } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import type { AgentEvent, AgentState, Response, TaskResult } from '../event.ts'
import type { Message, MessageDraft } from '../message/message.ts'
import type { QuestionOptions } from '../running/questions.ts'
import type { LoadStateOptions } from '../running/saved-questions.ts'
import type { TeamPrograms } from '../running/team-programs.ts'

/** Options of `onMessages`. */
export interface OnMessagesOptions extends QuestionOptions {
  /** Cancels the answer and any running program when aborted. */
  readonly signal?: AbortSignal | undefined
  /** Programs that other team members have run, passed by the team. @default none, so all programs are run */
  readonly programs?: TeamPrograms | undefined
}

/** Options of `run`. */
export interface RunTaskOptions extends QuestionOptions {
  /**
   * The task: a text, which is sent as `user`; an AI SDK message, with or without an envelope; or several messages.
   *
   * @default continue the conversation so far
   */
  readonly task?: string | MessageDraft | readonly MessageDraft[] | undefined
  /** Cancels the run and any running program when aborted. */
  readonly signal?: AbortSignal | undefined
  /** Whether the messages and events include the task. @default true */
  readonly outputTaskMessages?: boolean | undefined
  /** Programs that members of the surrounding team have run, passed by that team. @default none */
  readonly programs?: TeamPrograms | undefined
}

/** An agent or a team that performs tasks. Await `run` for the result, or iterate it for the events. */
export interface TaskRunner {
  /** Runs a task. @param task - The task, alone or with options; without it, the conversation so far continues. */
  run(task?: string | RunTaskOptions): Running<TaskResult, AgentEvent>
  /**
   * Forgets the conversation and the remembered answers, also those of the members. The state of executors is kept.
   *
   * @throws FencedError `AGENT_IS_ANSWERING`, `TEAM_IS_RUNNING`.
   */
  reset(): Promise<void>
  /**
   * Returns the conversation and the remembered answers as plain data, so that another process can continue: between two runs, also if the
   * last one was cancelled, and while a question about code, a tool call or a reply is open.
   *
   * The state contains open questions. When an agent that loaded the state runs without a task, it repeats them and continues from there. A
   * question about code keeps its id while it is open in the `ledger` of both agents. Otherwise, it gets a new id and, unless the ledger
   * has other information, states that the program may already have run. If the executor of the loading agent has a different target or
   * isolation, the agent asks a new question with a new id. The state also contains the results of other tool calls in the same message.
   * Unfinished calls are repeated, with their questions.
   *
   * @throws FencedError `AGENT_IS_ANSWERING`, `TEAM_IS_RUNNING`.
   */
  saveState(): Promise<AgentState>
  /**
   * Continues from the saved state of an agent, or of a team whose members have the same names. An open question never counts as allowed:
   * it is repeated or denied (`onQuestion`), or the state is refused. If a tool call is denied, the other calls in its message that have no
   * result are denied too.
   *
   * @throws FencedError `INVALID_STATE`; `APPROVAL_REQUIRED` if a question is open and the agent has no approver for it;
   *   `AGENT_IS_ANSWERING`, `TEAM_IS_RUNNING`. Nothing has changed then.
   */
  loadState(state: AgentState, options?: LoadStateOptions): Promise<void>
}

/** An agent that can be a member of a team. It remembers the messages it received, so it is passed only new ones. */
export interface ChatAgent extends TaskRunner {
  readonly name: string
  /** Its description for other agents. */
  readonly description: string
  /**
   * Answers new messages, or continues from the earlier ones if no new messages are passed: await the response, or iterate the events
   * that lead to it. The messages are remembered even if the agent is cancelled or fails before it answers, so they are not passed again.
   *
   * Rejects with the signal's reason when cancelled, and with a FencedError: `AGENT_IS_ANSWERING`; `APPROVAL_UNAVAILABLE` if the
   * approver cannot be reached; `MODEL_FAILED`, `MODEL_REFUSED`, `MODEL_GAVE_NO_OBJECT`; `LEDGER_NOT_SHARED`.
   */
  onMessages(messages: readonly Message[], options?: OnMessagesOptions): Running<Response, AgentEvent>
}

/** Several agents that work on a task together. */
export interface Team extends TaskRunner {
  readonly name: string
  /** Its description for other agents. */
  readonly description: string
}

/** A member of a team: an agent, or another team, which in its turn speaks until its own run ends. */
export type Participant = ChatAgent | Team

const isParticipant = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false
  const { name, run, reset, saveState, loadState } = value as Partial<Participant>
  const methods = [run, reset, saveState, loadState]
  return typeof name === 'string' && methods.every((method) => typeof method === 'function')
}

/** At least one, each with a unique name. */
export const participantsSchema = z
  .array(z.custom<Participant>(isParticipant, 'must be an agent or a team'))
  .min(1, 'at least one participant is needed')
  .refine(
    (participants) => new Set(participants.map(({ name }) => name)).size === participants.length,
    'the names of the participants must be unique',
  )
