import { describe, expect, it } from 'vitest'
import { codeOf } from '../agent/agents.fixture.ts'
import type { MessageInput } from './chat-message.ts'
import { heardMessage, spokenMessage } from './normalize-message.ts'

const toolCalls = [{ id: '1', name: 'add', input: { a: 1 } }]
const toolResponses = [{ toolCallId: '1', name: 'add', content: '2' }]

describe('CA-51, CA-52, CA-53: a message', () => {
  it.each<[string, MessageInput, object, object]>([
    [
      'that is a text has its speaker',
      'hi',
      { role: 'assistant', content: 'hi', name: 'me' },
      { role: 'user', content: 'hi', name: 'me' },
    ],
    [
      'that is empty is one',
      '',
      { role: 'assistant', content: '', name: 'me' },
      { role: 'user', content: '', name: 'me' },
    ],
    [
      'keeps the name that it has',
      { content: 'hi', name: 'somebody' },
      { role: 'assistant', content: 'hi', name: 'somebody' },
      { role: 'user', content: 'hi', name: 'somebody' },
    ],
    [
      'keeps its context',
      { content: 'hi', context: { a: [1] } },
      { role: 'assistant', content: 'hi', name: 'me', context: { a: [1] } },
      { role: 'user', content: 'hi', name: 'me', context: { a: [1] } },
    ],
    [
      'loses a role that is not its own',
      { role: 'system', content: 'hi' },
      { role: 'assistant', content: 'hi', name: 'me' },
      { role: 'user', content: 'hi', name: 'me' },
    ],
    [
      "with calls is its speaker's on both sides",
      { content: '', toolCalls },
      { role: 'assistant', content: '', toolCalls },
      { role: 'assistant', content: '', toolCalls },
    ],
    [
      "with answers is the tool's on both sides",
      { content: '2', toolResponses },
      { role: 'tool', content: '2', toolResponses },
      { role: 'tool', content: '2', toolResponses },
    ],
    [
      'of a tool stays one',
      { role: 'tool', content: '2' },
      { role: 'tool', content: '2' },
      { role: 'tool', content: '2' },
    ],
  ])('%s', (_, input, spoken, heard) => {
    expect(spokenMessage(input, 'me')).toEqual(spoken)
    expect(heardMessage(spokenMessage(input, 'me'))).toEqual(heard)
  })

  it('is a copy of what was given', () => {
    const given = { content: 'hi' }
    expect(spokenMessage(given, 'me')).not.toBe(given)
    expect(given).toEqual({ content: 'hi' })
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 7],
    ['a list', ['hi']],
    ['no content', {}],
    ['only a name', { name: 'me' }],
    ['calls without content', { toolCalls }],
    ['a content that is no text', { content: 7 }],
    ['null as content', { content: null }],
    ['a field that nobody knows', { content: 'hi', function_call: {} }],
    ['an unknown role', { content: 'hi', role: 'function' }],
    ['an empty list of calls', { content: 'hi', toolCalls: [] }],
    ['a call without an id', { content: 'hi', toolCalls: [{ name: 'add', input: {} }] }],
    ['an answer without content', { content: 'hi', toolResponses: [{ toolCallId: '1', name: 'add' }] }],
  ])('cannot be %s', async (_, input) => {
    expect(await codeOf(() => spokenMessage(input as MessageInput, 'me'))).toBe('INVALID_MESSAGE')
  })
})
