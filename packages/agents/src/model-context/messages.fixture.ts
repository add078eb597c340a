import type { ModelMessage } from 'ai'
import fc from 'fast-check'
import { createMessage, type Message, textOf, withText } from '../message/message.ts'
import { answering, asking } from '../message/messages.fixture.ts'

/** The same for the same text, so that two of them are equal. */
const made = (source: string, message: ModelMessage): Message =>
  createMessage({
    ...message,
    id: JSON.stringify(message),
    createdAt: '2026-01-01T00:00:00.000Z',
    source,
    origin: 'model',
  })

export const user = (content: string): Message => made('user', { role: 'user', content })
export const assistant = (content: string): Message => made('assistant', { role: 'assistant', content })
export const call = (...ids: string[]): Message =>
  made('assistant', asking('', ...ids.map((id) => ({ id, name: 'add', input: { a: 1 } }))))
export const answer = (...ids: string[]): Message =>
  made('tool', answering(...ids.map((id) => ({ toolCallId: id, name: 'add', content: id }))))

/**
 * Histories in which calls may stay without an answer, answers may come late, several at once, or for a call that nobody
 * has made. Every message is another one by its text.
 */
export const histories: fc.Arbitrary<Message[]> = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom('user' as const, 'assistant' as const) },
      { weight: 2, arbitrary: fc.record({ calls: fc.integer({ min: 1, max: 3 }) }) },
      { weight: 3, arbitrary: fc.record({ answers: fc.array(fc.nat(30), { minLength: 1, maxLength: 3 }) }) },
    ),
    { maxLength: 25 },
  )
  .map((steps) => {
    const open: string[] = []
    let calls = 0
    return steps.map((step, index): Message => {
      if (typeof step === 'string')
        return createMessage({ role: step, source: step, origin: 'model', content: `message ${index}` })
      if ('calls' in step) {
        const ids = Array.from({ length: step.calls }, () => `call ${calls++}`)
        open.push(...ids)
        return withText(call(...ids), `message ${index}`)
      }
      const ids = step.answers.map(
        (pick) => open.splice(pick % Math.max(1, open.length), 1)[0] ?? `none ${index}`,
      )
      return answer(...ids)
    })
  })

export const contentsOf = (messages: readonly Message[]): string[] => messages.map(textOf)
