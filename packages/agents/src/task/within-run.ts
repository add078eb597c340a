import { traced } from '@fenced/core/internal'
import { type AgentEvent, isPrompt, type Response, type TaskResult } from '../event.ts'
import type { Message } from '../message/message.ts'
import type { RunContext } from '../running/run-with-events.ts'
import type { ChatAgent, OnMessagesOptions, RunTaskOptions, TaskRunner } from './chat-agent.ts'

export type Answer = Pick<Response, 'message' | 'stopReason'>

/** How an agent answers within a run, whose events are its own. */
export type AnswerWithin = (
  messages: readonly Message[],
  options: Omit<OnMessagesOptions, 'signal'>,
  context: RunContext,
) => Promise<Answer>

/** How an agent or a team does a task within a run, whose events are its own. */
export type RunWithin = (task: Omit<RunTaskOptions, 'signal'>, context: RunContext) => Promise<TaskResult>

const answers = new WeakMap<object, (agent: never, ...turn: Parameters<AnswerWithin>) => Promise<Answer>>()
const runs = new WeakMap<object, (runner: never, ...run: Parameters<RunWithin>) => Promise<TaskResult>>()

/** Lets agents with this `onMessages` answer within a run, without a second buffer of events. A subclass may replace the method. */
export function answersWithin<Agent extends ChatAgent>(
  onMessages: Agent['onMessages'],
  answer: (agent: Agent, ...turn: Parameters<AnswerWithin>) => Promise<Answer>,
): void {
  answers.set(onMessages, answer)
}

/** The same for `run`. */
export function runsWithin<Runner extends TaskRunner>(
  run: Runner['run'],
  within: (runner: Runner, ...run: Parameters<RunWithin>) => Promise<TaskResult>,
): void {
  runs.set(run, within)
}

/** Lets an agent answer within a run. Its beginning and its end are no events of the run. */
export async function answerWithin(
  agent: ChatAgent,
  ...[messages, options, context]: Parameters<AnswerWithin>
): Promise<Answer> {
  const answer = answers.get(agent.onMessages)
  if (answer !== undefined) {
    const turn = () => answer(agent as never, messages, options, context)
    return await traced('fenced:agent-turn', { agent: agent.name }, turn)
  }
  const answering = agent.onMessages(messages, { ...options, signal: context.signal })
  return await relayed(answering, context, isOfTurn)
}

/** Lets an agent or a team do a task within a run, with all its events. */
export async function runWithin(
  runner: TaskRunner,
  ...[task, context]: Parameters<RunWithin>
): Promise<TaskResult> {
  const run = runs.get(runner.run)
  if (run !== undefined) return await run(runner as never, task, context)
  return await relayed(runner.run({ ...task, signal: context.signal }), context)
}

/** A runner of another kind has a separate buffer. */
async function relayed<Result>(
  running: PromiseLike<Result> & AsyncIterable<AgentEvent>,
  { emit, drained }: RunContext,
  isRelayed = (_event: AgentEvent) => true,
): Promise<Result> {
  for await (const event of running) {
    if (!isRelayed(event)) continue
    await emit(event)
    if (isPrompt(event)) await drained()
  }
  return await running
}

/** Whether an event of an agent's turn is one of the run around it as well: its beginning and its end are the turn's own. */
export function isOfTurn({ type }: Pick<AgentEvent, 'type'>): boolean {
  return !['task-start', 'task-end', 'response', 'events-dropped'].includes(type)
}
