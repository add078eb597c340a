import { FencedError } from '@fenced/core'
import { untilAborted } from '@fenced/core/internal'
import type { RunContext } from '../running/run-with-events.ts'
import { type AgentEvent, type AgentMessage, made, type SelectSpeakerEvent } from '../task/agent-message.ts'
import type { TaskResult } from '../task/chat-agent.ts'
import { isPiece, isQuestion } from '../task/run-task.ts'
import { taskResult } from '../task/task-result.ts'
import type { TerminationCheck, TerminationCondition } from '../termination/termination-condition.ts'
import { takeTurn } from './participant.ts'
import type { TeamMemory } from './team-memory.ts'
import { turnSignal } from './turn-signal.ts'

/** A team, and what it is to do. */
export interface TeamRun {
  readonly name: string
  readonly memory: TeamMemory
  readonly task: readonly AgentMessage[]
  readonly terminationCondition?: TerminationCondition | undefined
  readonly maxTurns?: number | undefined
  readonly outputTaskMessages: boolean
  readonly emitTeamEvents: boolean
}

type Item = AgentMessage | AgentEvent

/** Lets the participants of a team speak in turn until there is a reason to end. */
export async function runTeam(run: TeamRun, context: RunContext<Item>): Promise<TaskResult> {
  const { memory, task, terminationCondition } = run
  const messages: Item[] = []
  const over = new AbortController()
  const stopped = new AbortController()
  const signal = AbortSignal.any([context.signal, stopped.signal])
  const tell = async (item: Item) => {
    if (!isPiece(item)) messages.push(item)
    await shown(item, { ...context, signal })
  }
  const result = (stopReason: string, status: TaskResult['status'] = 'done'): TaskResult => {
    return taskResult({ task, status, messages, stopReason })
  }
  try {
    const check = terminationCondition?.begin({
      task,
      signal: over.signal,
      stop: (reason) => stopped.abort(new Stop(reason)),
    })
    for (const message of task) {
      memory.add(message)
      if (run.outputTaskMessages) await tell(message)
    }
    return result(await turns(run, { check, signal, tell }))
  } catch (error) {
    if (context.signal.aborted) return result('It was cancelled.', 'cancelled')
    if (stopped.signal.reason instanceof Stop) return result(stopped.signal.reason.message)
    throw error
  } finally {
    over.abort()
  }
}

/** Why a run was ended in the middle of a turn. */
class Stop extends Error {}

interface Turns {
  readonly check: TerminationCheck | undefined
  readonly signal: AbortSignal
  readonly tell: (item: Item) => Promise<void>
}

/** Resolves with the reason for the end. */
async function turns(run: TeamRun, { check, signal, tell }: Turns): Promise<string> {
  const { maxTurns = Number.POSITIVE_INFINITY } = run
  let items: Item[] = []
  for (let turn = 0; ; turn++) {
    signal.throwIfAborted()
    const reason = await untilAborted(Promise.resolve(check?.(items)), signal)
    if (reason !== undefined) return reason
    if (turn === maxTurns) return `Maximum number of turns ${maxTurns} reached.`
    items = []
    await speak(run, {
      signal,
      tell: async (item) => {
        if (!isPiece(item)) items.push(item)
        await tell(item)
      },
      onChosen: tell,
    })
  }
}

interface Speaking extends Omit<Turns, 'check'> {
  readonly onChosen: (event: SelectSpeakerEvent) => Promise<void>
}

async function speak(
  { name, memory, emitTeamEvents }: TeamRun,
  { signal, tell, onChosen }: Speaking,
): Promise<void> {
  const { speaker } = memory
  if (emitTeamEvents) {
    await onChosen(made({ type: 'SelectSpeakerEvent', source: name, speakers: [speaker.name] }))
  }
  using turn = turnSignal(signal)
  try {
    await takeTurn(speaker, memory.tell(speaker), {
      signal: turn.signal,
      tell,
      say: (message) => memory.add(message, speaker),
    })
  } catch (error) {
    throw signal.aborted ? error : agentFailed(speaker.name, name, error)
  }
  memory.nextSpeaker()
}

/** Waits for a reader that is behind, and before a question for one that has seen what led to it; but not once it is over. */
async function shown(item: Item, { emit, drained, signal }: RunContext<Item>): Promise<void> {
  const seen = emit(item) ?? (isQuestion(item) ? drained() : undefined)
  if (seen === undefined || signal.aborted) return
  await untilAborted(seen, signal).catch(() => {})
}

function agentFailed(agent: string, team: string, cause: unknown): FencedError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new FencedError({
    code: 'AGENT_FAILED',
    message: `${agent} of the team ${team} failed: ${reason}`,
    cause,
  })
}
