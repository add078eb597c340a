import type { ModelMessage } from 'ai'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMessage } from '../message/message.ts'
import { answering, asking, denying } from '../message/messages.fixture.ts'
import type { ToolCall } from '../message/tool-parts.ts'
import { toModelMessages } from './to-model-messages.ts'

const user = (content: string): ModelMessage => ({ role: 'user', content })
const assistant = (content: string, ...toolCalls: ToolCall[]): ModelMessage =>
  toolCalls.length === 0 ? { role: 'assistant', content } : asking(content, ...toolCalls)
const call = (id: string): ToolCall => ({ id, name: `tool-${id}`, input: { of: id } })
const answer = (id: string, content = `answer ${id}`, isError?: true) => ({
  toolCallId: id,
  name: `tool-${id}`,
  content,
  ...(isError && { isError }),
})
const tool = answering

const callPart = (id: string) => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: `tool-${id}`,
  input: { of: id },
})
const result = (id: string, value = `answer ${id}`, type = 'text') => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: `tool-${id}`,
  output: { type, value },
})
const results = (...content: ReturnType<typeof result>[]) => ({ role: 'tool', content })
const notRun = (id: string) => result(id, 'This call was not run.', 'error-text')

type Case = readonly [name: string, messages: ModelMessage[], expected: unknown[]]

const cases: readonly Case[] = [
  ['turns stay as they are', [user('a'), assistant('b'), user('c')], [user('a'), assistant('b'), user('c')]],
  [
    'the envelope is left out',
    [createMessage({ ...user('a'), source: 'me', origin: 'person', metadata: { b: 1 } })],
    [user('a')],
  ],
  ['what a user says in a row is one message', [user('a'), user('b'), user('c')], [user('a\n\nb\n\nc')]],
  [
    'what the model says in a row is one message',
    [user('a'), assistant('b'), assistant('c')],
    [user('a'), assistant('b\n\nc')],
  ],
  ['no messages are a beginning', [], [user('(The conversation begins.)')]],
  [
    'the first word of the model follows on a beginning',
    [assistant('a'), user('b')],
    [user('(The conversation begins.)'), assistant('a'), user('b')],
  ],
  ['an empty message of the model is left out', [user('a'), assistant(' \n'), user('b')], [user('a\n\nb')]],
  [
    'an empty message of the user is told',
    [user('a'), assistant('b'), user('')],
    [user('a'), assistant('b'), user('(empty message)')],
  ],
  ['an empty message beside another is not', [user(''), user('a'), user(' ')], [user('a')]],
  ['two empty messages are one', [user(''), user('')], [user('(empty message)')]],
  [
    'a later message of the system is said by the user',
    [user('a'), { role: 'system', content: 'b' }],
    [user('a\n\nb')],
  ],
  [
    'calls and answers follow on each other',
    [user('a'), assistant('b', call('1'), call('2')), tool(answer('1'), answer('2')), assistant('c')],
    [
      user('a'),
      { role: 'assistant', content: [{ type: 'text', text: 'b' }, callPart('1'), callPart('2')] },
      results(result('1'), result('2')),
      assistant('c'),
    ],
  ],
  [
    'calls without a text have none',
    [user('a'), assistant('', call('1')), tool(answer('1'))],
    [user('a'), { role: 'assistant', content: [callPart('1')] }, results(result('1'))],
  ],
  [
    'what the model said before its calls is one message with them',
    [user('a'), assistant('b'), assistant('c', call('1')), tool(answer('1'))],
    [
      user('a'),
      { role: 'assistant', content: [{ type: 'text', text: 'b\n\nc' }, callPart('1')] },
      results(result('1')),
    ],
  ],
  [
    'an error of a tool is marked, and an empty answer is told',
    [user('a'), assistant('', call('1'), call('2')), tool(answer('1', 'broken', true), answer('2', ''))],
    [
      user('a'),
      { role: 'assistant', content: [callPart('1'), callPart('2')] },
      results(result('1', 'broken', 'error-text'), result('2', '(no output)')),
    ],
  ],
  [
    'what a person says instead of the answers follows on them',
    [user('a'), assistant('', call('1')), denying('stop that', call('1'))],
    [
      user('a'),
      { role: 'assistant', content: [callPart('1')] },
      results(result('1', 'USER INTERRUPTED', 'error-text')),
      user('stop that'),
    ],
  ],
  [
    'answers come in the order of the calls',
    [user('a'), assistant('', call('1'), call('2')), tool(answer('2'), answer('1'))],
    [
      user('a'),
      { role: 'assistant', content: [callPart('1'), callPart('2')] },
      results(result('1'), result('2')),
    ],
  ],
  [
    'a call without an answer gets one',
    [user('a'), assistant('', call('1'), call('2')), tool(answer('2')), assistant('', call('3'))],
    [
      user('a'),
      { role: 'assistant', content: [callPart('1'), callPart('2')] },
      results(notRun('1'), result('2')),
      { role: 'assistant', content: [callPart('3')] },
      results(notRun('3')),
    ],
  ],
  [
    'an answer that comes late is moved to its call',
    [user('a'), assistant('', call('1')), user('b'), tool(answer('1'))],
    [user('a'), { role: 'assistant', content: [callPart('1')] }, results(result('1')), user('b')],
  ],
  [
    'an answer without its call is said by the user',
    [tool(answer('1'), answer('2', 'broken', true)), user('b')],
    [user('Answer of the tool "tool-1":\nanswer 1\n\nError of the tool "tool-2":\nbroken\n\nb')],
  ],
  [
    'a second answer to a call is said by the user',
    [user('a'), assistant('', call('1')), tool(answer('1')), tool(answer('1', 'again'))],
    [
      user('a'),
      { role: 'assistant', content: [callPart('1')] },
      results(result('1')),
      user('Answer of the tool "tool-1":\nagain'),
    ],
  ],
  [
    'an id that is used again means the newest call',
    [user('a'), assistant('', call('1')), user('b'), assistant('', call('1')), tool(answer('1', 'new'))],
    [
      user('a'),
      { role: 'assistant', content: [callPart('1')] },
      results(notRun('1')),
      user('b'),
      { role: 'assistant', content: [callPart('1')] },
      results(result('1', 'new')),
    ],
  ],
  [
    'arguments that are no object are left out of the call',
    [user('a'), assistant('', { ...call('1'), input: '{"a' }), tool(answer('1', 'no JSON', true))],
    [
      user('a'),
      { role: 'assistant', content: [{ ...callPart('1'), input: {} }] },
      results(result('1', 'no JSON', 'error-text')),
    ],
  ],
]

describe('the messages for a model', () => {
  it('keep turns, calls and answers together', ({ everyRow }) =>
    everyRow(cases, (_, messages, expected) => {
      const copy = structuredClone(messages)
      expect(toModelMessages({ messages }).messages).toEqual(expected)
      expect(messages).toEqual(copy)
    }))

  it.each([
    [undefined, [], {}],
    ['', [], {}],
    ['be kind', [], { instructions: 'be kind' }],
    ['be kind', ['be brief', '', 'be true'], { instructions: 'be kind\n\nbe brief\n\nbe true' }],
    [undefined, ['be brief'], { instructions: 'be brief' }],
  ])('instructions %j and messages of the system %j come first', (instructions, system, expected) => {
    const messages = [...system.map((content): ModelMessage => ({ role: 'system', content })), user('a')]
    expect(toModelMessages({ instructions, messages })).toEqual({ ...expected, messages: [user('a')] })
  })

  it('take turns, with text in each and an answer to every call, whatever the history is', () => {
    const text = fc.constantFrom('', ' ', 'a', 'answer 1', 'answer 1\n\nanswer 2')
    const ids = fc.array(fc.constantFrom('1', '2', '3'), { maxLength: 3 })
    const message = fc.record({
      role: fc.constantFrom('user', 'assistant', 'tool', 'system' as const),
      content: text,
      calls: ids,
      answers: ids,
    })
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (history) => {
        const messages = history.map(({ role, content, calls, answers }): ModelMessage => {
          if (role === 'assistant') return assistant(content, ...calls.map(call))
          return role === 'tool' ? tool(...answers.map((id) => answer(id))) : { role, content }
        })
        expectFit(toModelMessages({ messages }).messages)
      }),
      { numRuns: 500 },
    )
  })
})

function expectFit(messages: readonly ModelMessage[]): void {
  expect(messages[0]?.role).toBe('user')
  for (const [index, { role, content }] of messages.entries()) {
    const previous = messages[index - 1]
    expect(role).not.toBe('system')
    if (role !== 'assistant' || previous?.role !== 'tool') expect(role).not.toBe(previous?.role)
    if (typeof content === 'string') {
      expect(content.trim()).not.toBe('')
      continue
    }
    const callIds = content
      .filter(({ type }) => type === 'tool-call')
      .map((part) => 'toolCallId' in part && part.toolCallId)
    const next = messages[index + 1]
    if (role !== 'assistant') continue
    const answers =
      next?.role === 'tool' ? next.content.map((part) => 'toolCallId' in part && part.toolCallId) : []
    expect(answers).toEqual(callIds)
  }
}
