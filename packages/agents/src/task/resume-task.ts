import { FencedError } from '@fenced/core'
import { checkedAnswer, knownOptions, type Running } from '@fenced/core/internal'
import { type AgentEvent, isPrompt, type TaskResult } from '../event.ts'
import type { AgentState, OpenQuestion } from '../open-question.ts'
import type { QuestionAnswers } from '../running/given-answers.ts'
import { runWithEvents } from '../running/run-with-events.ts'
import type { RunTaskOptions, TaskRunner } from './chat-agent.ts'

/** Options of `resume`. */
export interface ResumeOptions extends Pick<RunTaskOptions, 'signal'> {
  /** What the questions do that have no answer yet: see `run`. @default 'suspend' */
  readonly onQuestion?: RunTaskOptions['onQuestion']
}

interface Resumed {
  readonly state: AgentState
  readonly answers: QuestionAnswers
}

/** Loads a state and continues from there: what `resume` of an agent and of a team is. */
export function resumeTask(
  runner: TaskRunner,
  { state, answers }: Resumed,
  options: ResumeOptions = {},
): Running<TaskResult, AgentEvent> {
  const { signal } = Object(options) as ResumeOptions
  return runWithEvents(async (context) => {
    const { onQuestion = 'suspend' } = knownOptions(options, { signal: true, onQuestion: true }, 'resume()')
    checkAnswers(answers, questionsIn(state))
    await runner.loadState(state, { onQuestion })
    const running = runner.run({ signal: context.signal, onQuestion, answers })
    for await (const event of running) {
      await context.emit(event)
      if (isPrompt(event)) await context.drained()
    }
    return await running
  }, signal)
}

/** The open questions in the state of an agent, or of a team and its members. */
export function questionsIn({ turn, participants }: AgentState): OpenQuestion[] {
  if (Array.isArray(participants)) return participants.flatMap(({ state }) => questionsIn(Object(state)))
  const { questions } = Object(turn) as { readonly questions?: OpenQuestion[] }
  return questions ?? []
}

/** @throws FencedError `UNKNOWN_APPROVAL` for a question that is not open; `INVALID_APPROVAL` for a wrong answer. */
export function checkAnswers(answers: QuestionAnswers, questions: readonly OpenQuestion[]): void {
  for (const [id, answer] of Object.entries(answers)) {
    const open = questions.find(({ request }) => request.id === id)
    if (open === undefined) throw notOpen(id, questions)
    const { kind } = open.request
    if (kind === 'code' || kind === 'tool') checkedAnswer(kind, answer)
    else checkedAnswer('message', { decision: 'answer', text: answer })
  }
}

function notOpen(id: string, questions: readonly OpenQuestion[]): FencedError {
  const open = questions.map(({ request }) => request.id).join(', ')
  return new FencedError({
    code: 'UNKNOWN_APPROVAL',
    message: `No question "${id}" is open in this state. ${open === '' ? 'It has no open question.' : `Its open questions are ${open}.`}`,
    data: { id, open },
  })
}
