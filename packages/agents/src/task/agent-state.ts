import { type DecisionLedger, FencedError } from '@fenced/core'
import { checkedAnswer, pathsOf } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import type { AgentState, OpenQuestion } from '../event.ts'
import type { QuestionAnswers } from '../running/questions.ts'

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
    message: `This is not a state of a ${of} that this version of Fenced can load:\n${z.prettifyError(parsed.error)}`,
    data: { component: of, path: pathsOf(parsed.error) },
    cause: parsed.error,
  })
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

/** @throws FencedError `LEDGER_NOT_SHARED` for a ledger in memory. */
export function checkShared(agent: string, ledgers: readonly DecisionLedger[]): void {
  if (ledgers.every(({ isShared }) => isShared)) return
  throw new FencedError({
    code: 'LEDGER_NOT_SHARED',
    message: `The questions of "${agent}" cannot wait for another process: its decisions are recorded in memory. Give the agent the option \`ledger\`, such as fileLedger(path).`,
    data: { agent, option: 'ledger' },
  })
}
