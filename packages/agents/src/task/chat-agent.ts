import { FencedError } from '@fenced/core'
import { pathsOf, type Running } from '@fenced/core/internal'
import { z } from 'zod'
import type { AgentEvent, Response, TaskResult } from '../event.ts'
import type { Message, MessageDraft } from '../message/message.ts'
import type { TeamPrograms } from '../running/team-programs.ts'
import type { LoadStateOptions } from './saved-questions.ts'

/** Options of `onMessages`. */
export interface OnMessagesOptions {
  /** Ends it, and a program that runs. */
  readonly signal?: AbortSignal | undefined
  /** The programs that members of its team have run. A team passes it. Default none: all programs are run. */
  readonly programs?: TeamPrograms | undefined
}

/** Options of `run`. */
export interface RunTaskOptions {
  /**
   * What is to be done: a text, which `user` says; a message of the AI SDK, alone or in its envelope; or several. Default: continue
   * with what was said before.
   */
  readonly task?: string | MessageDraft | readonly MessageDraft[] | undefined
  /** Ends it, and a program that runs. */
  readonly signal?: AbortSignal | undefined
  /** Whether the task itself is among the messages and events. Default `true`. */
  readonly outputTaskMessages?: boolean | undefined
  /** The programs that members of the team around it have run. A team passes it. Default none. */
  readonly programs?: TeamPrograms | undefined
}

/** Does tasks: an agent, or a team. Await `run` for the result, iterate it for what happens. */
export interface TaskRunner {
  /** @param task - what is to be done, alone or with options; nothing to continue with what was said before. */
  run(task?: string | RunTaskOptions): Running<TaskResult, AgentEvent>
  /** Forgets everything. */
  reset(): Promise<void>
  /** What it remembers, as plain data. */
  saveState(): Promise<AgentState>
  /**
   * Continues from the saved state of an agent or a team. An open question never counts as allowed: it is repeated, denied
   * (`onQuestion`), or the state is refused.
   *
   * @throws FencedError `INVALID_STATE`; `APPROVAL_REQUIRED` if a question is open and the agent has no approver for it. The agent
   *   is then unchanged.
   */
  loadState(state: AgentState, options?: LoadStateOptions): Promise<void>
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
  onMessages(messages: readonly Message[], options?: OnMessagesOptions): Running<Response, AgentEvent>
}

/** Several agents that do a task together. */
export interface Team extends TaskRunner {
  readonly name: string
  /** Its description for other agents. */
  readonly description: string
}

/** Who can sit in a team: an agent, or another team, which speaks in its turn until it has come to its own end. */
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

/**
 * Checks what was saved before it is taken over.
 *
 * @param of - whose state it should be.
 * @throws FencedError `INVALID_STATE` with every fault and where it is.
 */
export function readState<Schema extends z.ZodType>(
  schema: Schema,
  state: unknown,
  of: string,
): z.output<Schema> {
  const parsed = schema.safeParse(state)
  if (parsed.success) return parsed.data
  throw new FencedError({
    code: 'INVALID_STATE',
    message: `This is no state of a ${of} that this version of Fenced knows:\n${z.prettifyError(parsed.error)}`,
    data: { component: of, path: pathsOf(parsed.error) },
    cause: parsed.error,
  })
}
