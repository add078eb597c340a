import { inspect } from 'node:util'
import { FencedError } from '@fenced/errors'
import type { AskKind, AskKinds } from './ask.ts'

/**
 * The answer to a question of a kind, with its short form written out.
 *
 * @throws FencedError `INVALID_APPROVAL` for a value that does not answer such a question.
 */
export function checkedAnswer<Kind extends AskKind>(kind: Kind, answer: unknown): AskKinds[Kind]['answer'] {
  const whole = writtenOut(answer)
  if (isAnswerTo[kind](whole)) return whole as AskKinds[Kind]['answer']
  const shown = inspect(answer, { depth: 1 })
  const { of, answers, consequence } = expected[kind]
  throw new FencedError({
    code: 'INVALID_APPROVAL',
    message: `${of} got an invalid answer: ${shown}. ${consequence} Answer with ${answers}.`,
    data: { kind, answer: shown },
  })
}

/** The reason of a denial that gives none. */
const noReason = 'The approver gave no reason.'

function writtenOut(answer: unknown): unknown {
  if (answer === 'allow') return { decision: 'allow' }
  return answer === 'deny' ? { decision: 'deny', reason: noReason } : answer
}

const isAnswerTo: Readonly<Record<AskKind, (answer: unknown) => boolean>> = {
  code: (answer) => isAllowed(answer) || isDenial(answer) || isEdit(answer),
  tool: isPermission,
  network: isPermission,
  install: isPermission,
  file: isPermission,
  process: isPermission,
  input: (answer) => isDenial(answer) || (isText(answer) && !/[\n\r]/.test(fieldsOf(answer).text as string)),
  message: (answer) => isDenial(answer) || isText(answer),
}

const denial = "{ decision: 'deny', reason }"
const permission = `{ decision: 'allow' } or ${denial}`

/** The words of the error for a wrong answer. */
const expected: Readonly<
  Record<AskKind, { readonly of: string; readonly answers: string; readonly consequence: string }>
> = {
  code: {
    of: 'A question about code',
    answers: `{ decision: 'allow' }, ${denial} or { decision: 'edit', blocks } with at least one block`,
    consequence: 'Nothing was run.',
  },
  tool: {
    of: 'A question about a tool call',
    answers: permission,
    consequence: 'The tool was not called.',
  },
  network: {
    of: 'A question about a connection',
    answers: permission,
    consequence: 'No connection was made.',
  },
  input: {
    of: 'A question about a line of input',
    answers: `{ decision: 'answer', text } with one line, or ${denial}`,
    consequence: 'The program got no line.',
  },
  install: {
    of: 'A question about a package',
    answers: permission,
    consequence: 'Nothing was installed.',
  },
  file: {
    of: 'A question about a file',
    answers: permission,
    consequence: 'The file was not changed.',
  },
  process: {
    of: 'A question about a process',
    answers: permission,
    consequence: 'The process was not started.',
  },
  message: {
    of: 'A question about a message',
    answers: `{ decision: 'answer', text } or ${denial}`,
    consequence: 'No message was added.',
  },
}

function isPermission(answer: unknown): boolean {
  return isAllowed(answer) || isDenial(answer)
}

function isAllowed(answer: unknown): boolean {
  return fieldsOf(answer).decision === 'allow'
}

function isDenial(answer: unknown): boolean {
  const { decision, reason } = fieldsOf(answer)
  return decision === 'deny' && typeof reason === 'string'
}

function isText(answer: unknown): boolean {
  const { decision, text } = fieldsOf(answer)
  return decision === 'answer' && typeof text === 'string'
}

function isEdit(answer: unknown): boolean {
  const { decision, blocks } = fieldsOf(answer)
  return decision === 'edit' && Array.isArray(blocks) && blocks.length > 0 && blocks.every(isProgram)
}

function isProgram(block: unknown): boolean {
  const { language, code } = fieldsOf(block)
  return typeof language === 'string' && typeof code === 'string'
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
