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
import { isSuspension } from '../running/questions.ts'
import { type RunContext, runWithEvents } from '../running/run-with-events.ts'
import { UsageMeter } from '../usage.ts'
import { questionsIn } from './agent-state.ts'
import type { ChatAgent, OnMessagesOptions, RunTaskOptions, TaskRunner } from './chat-agent.ts'
import { type Answer, answerWithin, type RunWithin } from './within-run.ts'

/** Begins to answer at once: what `onMessages` of an agent is. Its events are in the response. */
export function respond(
  agent: string,
  answer: (context: RunContext) => Promise<Answer>,
  { signal }: Pick<OnMessagesOptions, 'signal'>,
): Running<Response, AgentEvent> {
  return runWithEvents(async (context) => {
    const run = recorded(context)
    // The reader cannot be behind at the first event.
    void run.emit({ type: 'task-start', agent })
    const answered = await traced('fenced:agent-turn', { agent }, () => answer(run))
    const response: Response = { ...answered, events: run.events }
    await context.emit({ type: 'response', agent, response })
    return response
  }, signal)
}

/** Lets one agent do a task: what `run` of an agent is. */
export async function runAgentTask(
  agent: ChatAgent,
  ...[{ task, outputTaskMessages = true, ...turn }, context]: Parameters<RunWithin>
): Promise<TaskResult> {
  return await runTask(agent, context, async (run) => {
    const asked = taskMessages(task)
    const { events } = run
    try {
      if (outputTaskMessages) for (const message of asked) await run.emit(said(message))
      const { message, stopReason } = await answerWithin(agent, asked, turn, run)
      await run.emit(said(message))
      const why = stopReason === undefined ? {} : { stopReason }
      return taskResult({ task: asked, status: 'done', events, ...why })
    } catch (error) {
      return taskResult({ task: asked, events, ...earlyEnd(error, context) })
    }
  })
}

/** A run that keeps its events, except deltas. */
export interface RecordedRun extends RunContext {
  readonly events: AgentEvent[]
}

/**
 * Does a task; its result is the last event. `run` adds events after the first one. If questions wait for their answers, the result has
 * them and the state, which is saved when `run` has ended.
 */
export async function runTask(
  runner: TaskRunner & { readonly name: string },
  context: RunContext,
  run: (context: RecordedRun) => Promise<TaskResult>,
): Promise<TaskResult> {
  const { name: agent } = runner
  const recording = recorded(context)
  // The reader cannot be behind at the first event.
  void recording.emit({ type: 'task-start', agent })
  const ended = await traced('fenced:agent-run', { kind: 'task', name: agent }, () => run(recording))
  const result = ended.status === 'waiting' ? { ...ended, ...(await waitingFor(runner)) } : ended
  await context.emit({ type: 'task-end', agent, result })
  return result
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

/** Keeps the events of a run except deltas. Before a question, its reader has seen what led to it. */
function recorded(context: RunContext): RecordedRun {
  const events: AgentEvent[] = []
  const emit = (init: EventInit) => {
    const event = createEvent(init)
    if (!isDelta(event)) events.push(event)
    const reading = context.emit(event)
    if (!isPrompt(event)) return reading
    return reading === undefined ? context.drained() : reading.then(() => context.drained())
  }
  return { ...context, events, emit }
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
