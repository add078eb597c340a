import { FencedError, type OutputFile } from '@fenced/core'
import { knownOptions, type OptionNames, pathsOf, type Running, traced } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import {
  type AgentEvent,
  createEvent,
  type EventInit,
  isDelta,
  isPrompt,
  type Response,
  type TaskResult,
} from '../event.ts'
import { enveloped, type Message, textOf } from '../message/message.ts'
import { draftSchema } from '../message/sent-and-received.ts'
import { isSuspension } from '../running/given-answers.ts'
import { type RunContext, runWithEvents } from '../running/run-with-events.ts'
import { UsageMeter } from '../usage.ts'
import type { ChatAgent, OnMessagesOptions, RunTaskOptions, TaskRunner } from './chat-agent.ts'
import { questionsIn } from './resume-task.ts'

export type Answer = Pick<Response, 'message' | 'stopReason'>

/** How an agent answers within a run, whose events are its own. */
export type AnswerWithin = (
  messages: readonly Message[],
  options: Omit<OnMessagesOptions, 'signal'>,
  context: RunContext,
) => Promise<Answer>

interface Direct extends Pick<ChatAgent, 'onMessages'> {
  readonly answer: AnswerWithin
}

const within = new WeakMap<ChatAgent, Direct>()

/** Lets {@link answerWithin} call an agent without a second buffer of events, unless a subclass replaces its `onMessages`. */
export function answersWithin(agent: ChatAgent, direct: Direct): void {
  within.set(agent, direct)
}

/** Lets an agent answer within a run. Its beginning and its end are no events of the run. */
export async function answerWithin(
  agent: ChatAgent,
  ...[messages, options, context]: Parameters<AnswerWithin>
): Promise<Answer> {
  const own = within.get(agent)
  if (own?.onMessages === agent.onMessages) {
    const turn = () => own.answer(messages, options, context)
    return await traced('fenced:agent-turn', { agent: agent.name }, turn)
  }
  const answering = agent.onMessages(messages, { ...options, signal: context.signal })
  for await (const event of answering) if (isOfTurn(event)) await context.emit(event)
  return await answering
}

/** Begins to answer at once: what `onMessages` of an agent is. Its events are in the response. */
export function respond(
  agent: string,
  answer: (context: RunContext) => Promise<Answer>,
  { signal }: Pick<OnMessagesOptions, 'signal'>,
): Running<Response, AgentEvent> {
  return runWithEvents(async (context) => {
    const { events, emit } = recorded(context)
    // The reader cannot be behind at the first event.
    void emit({ type: 'task-start', agent })
    const turn = () => answer({ ...context, emit })
    const answered = await traced('fenced:agent-turn', { agent }, turn)
    const response: Response = { ...answered, events }
    await context.emit({ type: 'response', agent, response })
    return response
  }, signal)
}

/** Lets one agent do a task: what `run` of an agent is. */
export function runAgentTask(
  agent: ChatAgent,
  given?: string | RunTaskOptions,
): Running<TaskResult, AgentEvent> {
  const { task, signal, outputTaskMessages = true, ...turn } = taskOptions(given)
  return runTask(
    agent,
    async (context, start) => {
      const asked = taskMessages(task)
      const { events, emit } = recorded(context, start)
      try {
        if (outputTaskMessages) for (const message of asked) await emit(said(message))
        const { message, stopReason } = await answerWithin(agent, asked, turn, {
          ...context,
          emit: async (event) => {
            await emit(event)
            // The person must have seen the context of the question.
            if (isPrompt(event)) await context.drained()
          },
        })
        await emit(said(message))
        const why = stopReason === undefined ? {} : { stopReason }
        return taskResult({ task: asked, status: 'done', events, ...why })
      } catch (error) {
        return taskResult({ task: asked, events, ...earlyEnd(error, context) })
      }
    },
    signal,
  )
}

/**
 * Starts a task; its result is the last event. `run` receives the first event, which was emitted. If questions wait for their answers, the
 * result has them and the state, which is saved when `run` has ended.
 */
export function runTask(
  runner: TaskRunner & { readonly name: string },
  run: (context: RunContext, start: AgentEvent) => Promise<TaskResult>,
  signal?: AbortSignal,
): Running<TaskResult, AgentEvent> {
  const { name: agent } = runner
  return runWithEvents(async (context) => {
    const start = createEvent({ type: 'task-start', agent })
    // The reader cannot be behind at the first event.
    void context.emit(start)
    const trace = { kind: 'task', name: runner.name } as const
    const ended = await traced('fenced:agent-run', trace, () => run(context, start))
    const result = ended.status === 'waiting' ? { ...ended, ...(await waitingFor(runner)) } : ended
    await context.emit({ type: 'task-end', agent, result })
    return result
  }, signal)
}

async function waitingFor(runner: TaskRunner): Promise<Pick<TaskResult, 'state' | 'questions'>> {
  const state = await runner.saveState()
  return { state, questions: questionsIn(state) }
}

/** How a run has ended that a signal or a question has ended. @throws any other error. */
export function earlyEnd(
  error: unknown,
  { signal }: Pick<RunContext, 'signal'>,
): Pick<TaskResult, 'status' | 'stopReason'> {
  if (signal.aborted) return { status: 'cancelled', stopReason: 'It was cancelled.' }
  if (isSuspension(error)) return { status: 'waiting', stopReason: 'It waits for an answer.' }
  throw error
}

/** Whether an event of an agent's turn is one of the run around it as well: its beginning and its end are the turn's own. */
export function isOfTurn({ type }: AgentEvent): boolean {
  return !['task-start', 'task-end', 'response', 'events-dropped'].includes(type)
}

/** Keeps the events of a run except deltas, after the earlier ones. */
function recorded(
  { emit }: RunContext,
  ...events: AgentEvent[]
): { readonly events: AgentEvent[]; readonly emit: RunContext['emit'] } {
  return {
    events,
    emit: (init) => {
      const event = createEvent(init)
      if (!isDelta(event)) events.push(event)
      return emit(event)
    },
  }
}

export function said(message: Message): EventInit {
  return { type: 'message', agent: message.source, message }
}

const taskOptionNames: OptionNames<RunTaskOptions> = {
  task: true,
  signal: true,
  outputTaskMessages: true,
  programs: true,
  onQuestion: true,
  answers: true,
}

/** @throws FencedError `INVALID_OPTIONS` for a name that is not an option, and for a message or a list in place of options. */
export function taskOptions(given: string | RunTaskOptions = {}): RunTaskOptions {
  return typeof given === 'string' ? { task: given } : knownOptions(given, taskOptionNames, 'run()')
}

/** @throws FencedError `INVALID_OPTIONS` for a name that is not an option. */
export function turnOptions(options: OnMessagesOptions = {}): OnMessagesOptions {
  return knownOptions(
    options,
    { signal: true, programs: true, onQuestion: true, answers: true },
    'onMessages()',
  )
}

const taskSchema = z.array(draftSchema).min(1)

/** The messages that a task means. @throws FencedError `INVALID_TASK` for an empty list. */
export function taskMessages(task: RunTaskOptions['task']): readonly Message[] {
  if (task === undefined) return []
  if (typeof task === 'string') return [enveloped({ role: 'user', content: task })]
  const parsed = taskSchema.safeParse(Array.isArray(task) ? task : [task])
  if (parsed.success) return parsed.data
  throw new FencedError({
    code: 'INVALID_TASK',
    message: `A task must be a string, a message, or a list of at least one message:\n${z.prettifyError(parsed.error)}`,
    data: { path: pathsOf(parsed.error) },
  })
}

interface EndedTask extends Pick<TaskResult, 'status' | 'events' | 'stopReason'> {
  readonly task: readonly Message[]
}

/** A result, with what follows from its events: the answer, the files, what the models have used. */
export function taskResult({ task, status, events, ...why }: EndedTask): TaskResult {
  const messages = messagesIn(events)
  const answers = messages.filter((message) => !task.includes(message))
  const usage = new UsageMeter()
  for (const { metadata } of answers) if (metadata?.usage !== undefined) usage.addSummary(metadata.usage)
  return {
    status,
    text: answers.slice(-1).map(textOf).join(''),
    files: filesOf(events),
    usage: usage.summary(),
    messages,
    events,
    ...why,
  }
}

/** What an event says to the other agents of a team, if it says anything. */
export function agentMessageOf(event: AgentEvent): Message | undefined {
  return event.type === 'message' && event.recipient === undefined ? event.message : undefined
}

/** What events say to the other agents of a team. */
export function messagesIn(events: readonly AgentEvent[]): Message[] {
  return events.flatMap((event) => agentMessageOf(event) ?? [])
}

/** Each file once, as it was changed last. */
function filesOf(events: readonly AgentEvent[]): OutputFile[] {
  const files = events.flatMap((event) => (event.type === 'code-end' ? event.result.files : []))
  return [...new Map(files.map((file) => [file.path, file])).values()]
}
