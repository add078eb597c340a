import fc from 'fast-check'
import type { ChatMessage } from '../message/chat-message.ts'

export const user = (content: string): ChatMessage => ({ role: 'user', content })
export const assistant = (content: string): ChatMessage => ({ role: 'assistant', content })
export const call = (...ids: string[]): ChatMessage => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map((id) => ({ id, name: 'add', input: { a: 1 } })),
})
export const answer = (...ids: string[]): ChatMessage => ({
  role: 'tool',
  content: ids.join('\n\n'),
  toolResponses: ids.map((id) => ({ toolCallId: id, name: 'add', content: id })),
})

/**
 * Histories in which calls may stay without an answer, answers may come late, several at once, or for a call that nobody
 * has made. Every message is another one by its text.
 */
export const histories: fc.Arbitrary<ChatMessage[]> = fc
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
    return steps.map((step, index): ChatMessage => {
      if (typeof step === 'string') return { role: step, content: `message ${index}` }
      if ('calls' in step) {
        const ids = Array.from({ length: step.calls }, () => `call ${calls++}`)
        open.push(...ids)
        return { ...call(...ids), content: `message ${index}` }
      }
      const ids = step.answers.map(
        (pick) => open.splice(pick % Math.max(1, open.length), 1)[0] ?? `none ${index}`,
      )
      return { ...answer(...ids), content: `message ${index}` }
    })
  })

export const contentsOf = (messages: readonly ChatMessage[]): string[] =>
  messages.map(({ content }) => content)
