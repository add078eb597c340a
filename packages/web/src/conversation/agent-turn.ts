import {
  type AgentEvent,
  CodeExecutorAgent,
  createMessage,
  type Message,
  type TaskResult,
  type TaskRunner,
} from '@fenced/agents'
import type { Notice } from '@fenced/core'
import type { ConversationEvent, LoggedEvent } from '../event.ts'
import type { EventLog } from '../event-log.ts'
import type { SavedState } from '../saved-state.ts'
import type { AgentRecorder } from './agent-recorder.ts'
import type { LastAnswer } from './answer-recorder.ts'
import type { Outline } from './outline.ts'
import type { Asked } from './questions.ts'

interface AgentTurnParts {
  readonly agent: TaskRunner
  readonly recorder: AgentRecorder
  readonly appendStep: (
    events: readonly ConversationEvent[],
    step: Parameters<EventLog['appendStep']>[2],
  ) => void
  /** Whether the agent runs again after an answer with a program. */
  readonly continues: boolean
  /** How often at most. */
  readonly maxAnswers: number
  readonly signal: AbortSignal
}

/** Lets an agent work until it has nothing left to do, and saves its state at each question and after each of its runs. */
export class AgentTurn {
  readonly #parts: AgentTurnParts

  constructor(parts: AgentTurnParts) {
    this.#parts = parts
  }

  /** @param task - what the agent has not been told. */
  async run(task: readonly Message[]): Promise<void> {
    const { agent, recorder, appendStep, continues, maxAnswers, signal } = this.#parts
    const given = { signal, outputTaskMessages: false }
    for (let steps = 0; steps < maxAnswers; steps++) {
      const running = agent.run(steps === 0 && task.length > 0 ? { ...given, task } : given)
      const result = await this.#recorded(running)
      const isDone = !continues || !endsWithProgram(result)
      const state = await agent.saveState()
      appendStep(recorder.takeHeld(), { state, isDone })
      if (isDone) return
    }
    throw new Error(`The model has answered ${maxAnswers} times in a row. Write how to continue.`)
  }

  /** Writes what a question is about, with the state of the agent. While a program runs, agents have no state. */
  readonly prepare: Asked['prepare'] = async (request, question) => {
    const { agent, recorder, appendStep } = this.#parts
    const isOfCode = request.kind === 'code'
    if (isOfCode) recorder.beginRun(request.agent, request.blocks)
    const { runId } = recorder
    if (!isOfCode && runId !== '') return recorder.ask(question)
    const state = await agent.saveState()
    appendStep([...recorder.takeHeld(), ...question(runId)], { state, isDone: false })
    return runId
  }

  async #recorded(running: ReturnType<TaskRunner['run']>): Promise<TaskResult> {
    const { recorder, signal } = this.#parts
    try {
      for await (const event of running as AsyncIterable<AgentEvent>) recorder.take(event)
      const result = await running
      signal.throwIfAborted()
      return result
    } catch (error) {
      recorder.end(signal.aborted ? 'cancelled' : 'interrupted')
      throw error
    }
  }
}

/** The author of the program has not said what it makes of the result. */
function endsWithProgram({ messages }: TaskResult): boolean {
  return messages.at(-1)?.origin === 'program'
}

/** Brings an agent to where the log is. Returns the messages that it does not know. */
export async function restore(
  agent: TaskRunner,
  { saved, outline }: { readonly saved: SavedState | undefined; readonly outline: Outline },
): Promise<readonly Message[]> {
  const { history, untold } = outline
  if (saved?.state !== undefined) {
    await agent.loadState(saved.state)
    return untold
  }
  await agent.reset()
  // Other agents hear of it.
  if (!(agent instanceof CodeExecutorAgent)) return [...history, ...untold]
  for (const message of history) await agent.modelContext.add(message)
  return untold
}

/** A notice as a message to an agent. */
export function told({ message: content }: Notice): Message {
  return createMessage({ role: 'user', source: 'executor', origin: 'program', content })
}

/** The last answer of a log. */
export function lastAnswer(log: Iterable<LoggedEvent>): LastAnswer {
  let last = { id: '', text: '' }
  for (const { event } of log) {
    if (event.type === 'answer-start' || event.type === 'document')
      last = { id: event.type === 'document' ? event.documentId : event.answerId, text: '' }
    else if (event.type === 'text-delta') last.text += event.text
    else if (event.type === 'answer-end') last.text = event.text ?? last.text
  }
  return last
}
