import { FencedError } from '@fenced/core'
import { errorMessage } from '@fenced/errors'
import { untilAborted } from '@fenced/shared'
import { createEvent, type EventInit, type TaskResult } from '../event.ts'
import type { Message } from '../message/message.ts'
import { type QuestionOptions, Suspension } from '../running/questions.ts'
import { dataOf } from '../running/run-program.ts'
import { type RunContext, takeTurns } from '../running/run-with-events.ts'
import type { TeamPrograms } from '../running/team-programs.ts'
import type { Participant } from '../task/chat-agent.ts'
import { agentMessageOf, earlyEnd, type RecordedRun, said, taskResult } from '../task/run-task.ts'
import { answerWithin, isOfTurn, runWithin } from '../task/within-run.ts'
import type { TerminationCheck, TerminationCondition } from '../termination/termination.ts'
import type { TeamMemory } from './team-memory.ts'

interface TeamRun {
  readonly name: string
  readonly memory: TeamMemory
  /** The programs that members have run, here and in the team around this one. */
  readonly programs: TeamPrograms
  readonly task: readonly Message[]
  readonly terminationCondition?: TerminationCondition | undefined
  readonly maxTurns?: number | undefined
  readonly outputTaskMessages: boolean
  readonly emitTeamEvents: boolean
  /** How the questions of the members are answered. */
  readonly questions: QuestionOptions
}

/** Lets the participants of a team speak in turn until there is a reason to end. */
export async function runTeam(run: TeamRun, context: RecordedRun): Promise<TaskResult> {
  const { memory, task, terminationCondition } = run
  const { events } = context
  if (run.programs === memory.programs) memory.programs.beginRun()
  const over = new AbortController()
  const stopped = new AbortController()
  const signal = AbortSignal.any([context.signal, stopped.signal])
  const emit = (event: EventInit) => seen(context.emit(event), signal)
  const result = (stopReason: string) => taskResult({ task, status: 'done', events, stopReason })
  try {
    const check = terminationCondition?.begin({
      task,
      signal: over.signal,
      stop: (reason) => stopped.abort(new Stop(reason)),
    })
    for (const message of task) {
      memory.add(message)
      if (run.outputTaskMessages) await emit(said(message))
    }
    const drained = () => seen(context.drained(), signal)
    return result(await turns(run, { events, signal, emit, drained }, check))
  } catch (error) {
    if (stopped.signal.reason instanceof Stop && !context.signal.aborted)
      return result(stopped.signal.reason.message)
    return taskResult({ task, events, ...earlyEnd(error, context) })
  } finally {
    over.abort()
  }
}

/** Why a run was ended in the middle of a turn. */
class Stop extends Error {}

/** Waits for a slow reader; not once the run is over. */
async function seen(reading: void | Promise<void>, signal: AbortSignal): Promise<void> {
  if (reading === undefined || signal.aborted) return
  await untilAborted(reading, signal).catch(() => {})
}

/** The order of a team: its participants one after another, until the condition is met. Resolves with the reason for the end. */
async function turns(
  run: TeamRun,
  context: RecordedRun,
  check: TerminationCheck | undefined,
): Promise<string> {
  const { memory, name, emitTeamEvents, maxTurns = Number.POSITIVE_INFINITY } = run
  const { events, signal, emit } = context
  let begin = events.length
  let turn = 0
  return await takeTurns(signal, async () => {
    const reason = await untilAborted(Promise.resolve(check?.(events.slice(begin))), signal)
    if (reason !== undefined) return reason
    if (turn++ === maxTurns) return `Maximum number of turns ${maxTurns} reached.`
    if (emitTeamEvents) await emit({ type: 'speaker-selected', agent: name, speakers: [memory.speaker.name] })
    begin = events.length
    await speak(run, context)
    memory.nextSpeaker()
    return undefined
  })
}

async function speak(run: TeamRun, context: RunContext): Promise<void> {
  const { speaker } = run.memory
  using turn = turnSignal(context.signal)
  try {
    await takeTurn(speaker, run, { ...context, signal: turn.signal })
  } catch (error) {
    throw context.signal.aborted ? error : agentFailed(speaker.name, run.name, error)
  }
}

function agentFailed(agent: string, team: string, cause: unknown): FencedError {
  const reason = errorMessage(cause)
  return new FencedError({
    code: 'AGENT_FAILED',
    message: `${agent} of the team ${team} failed: ${reason}`,
    data: { ...dataOf(cause), agent, team, reason },
    cause,
  })
}

/**
 * Signal for one turn of a long run, aborted with the run's signal. Listeners of a speaker are released with the turn instead of
 * accumulating at the run's signal.
 */
function turnSignal(run: AbortSignal): Disposable & { readonly signal: AbortSignal } {
  const turn = new AbortController()
  const abort = () => turn.abort(run.reason)
  if (run.aborted) abort()
  run.addEventListener('abort', abort, { once: true })
  return { signal: turn.signal, [Symbol.dispose]: () => run.removeEventListener('abort', abort) }
}

/** Lets a participant speak once: an agent answers, a team does a task. */
async function takeTurn(
  participant: Participant,
  { memory, programs: all, questions }: TeamRun,
  context: RunContext,
): Promise<void> {
  const messages = memory.tell(participant)
  const programs = all.of(participant.name)
  if ('onMessages' in participant) {
    const { message } = await answerWithin(participant, messages, { ...questions, programs }, context)
    memory.add(message, participant)
    await context.emit(said(message))
    return
  }
  const task = messages.length === 0 ? undefined : messages
  const emit = async (init: EventInit) => {
    const event = createEvent(init)
    if (!isOfTurn(event)) return
    const message = agentMessageOf(event)
    if (message !== undefined) memory.add(message, participant)
    await context.emit(event)
  }
  const nested = { ...questions, task, programs, outputTaskMessages: false }
  const { status, questions: open = [] } = await runWithin(participant, nested, { ...context, emit })
  if (status === 'cancelled') context.signal.throwIfAborted()
  if (status === 'waiting') throw new Suspension(open.map(({ request }) => request.id).join(', '))
}
