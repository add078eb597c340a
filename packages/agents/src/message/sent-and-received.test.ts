import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { codeOf } from '../agent/agents.fixture.ts'
import type { MessageInput } from './message.ts'
import { answering, asking } from './messages.fixture.ts'
import { toReceived, toSent } from './sent-and-received.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 0 }))
afterEach(() => void vi.useRealTimers())

const call = asking('', { id: '1', name: 'add', input: { a: 1 } })
const answer = answering({ toolCallId: '1', name: 'add', content: '2' })
const output = { ...answer, origin: 'program' }
const thought = { type: 'reasoning', text: 'Let me see.' } as const
const picture = { type: 'file', mediaType: 'image/png', data: 'AAAA' } as const

describe('CA-51, CA-52, CA-53: a message', () => {
  it('has its speaker when it is sent, and its role when it is received', ({ everyRow }) =>
    everyRow<[string, MessageInput, object, object]>(
      [
        [
          'that is a text has its speaker',
          'hi',
          { role: 'assistant', content: 'hi', source: 'me' },
          { role: 'user', content: 'hi', source: 'me' },
        ],
        [
          'that is empty is one',
          '',
          { role: 'assistant', content: '', source: 'me' },
          { role: 'user', content: '', source: 'me' },
        ],
        [
          'keeps the source that it has',
          { content: 'hi', source: 'somebody' },
          { role: 'assistant', content: 'hi', source: 'somebody' },
          { role: 'user', content: 'hi', source: 'somebody' },
        ],
        [
          'keeps its metadata',
          { content: 'hi', metadata: { a: [1] } },
          { role: 'assistant', content: 'hi', source: 'me', metadata: { a: [1] } },
          { role: 'user', content: 'hi', source: 'me', metadata: { a: [1] } },
        ],
        [
          'keeps its origin',
          { content: 'hi', origin: 'program' },
          { role: 'assistant', content: 'hi', source: 'me', origin: 'program' },
          { role: 'user', content: 'hi', source: 'me', origin: 'program' },
        ],
        [
          'loses a role that is not its own',
          { role: 'system', content: 'hi' },
          { role: 'assistant', content: 'hi', source: 'me' },
          { role: 'user', content: 'hi', source: 'me' },
        ],
        ["with calls is its speaker's on both sides", { content: call.content }, call, call],
        ["with answers is the tool's on both sides", { content: answer.content }, output, output],
        [
          'is heard without the thoughts of its speaker, and with its pictures',
          { content: [thought, { type: 'text', text: 'hi' }, picture] },
          { role: 'assistant', content: [thought, { type: 'text', text: 'hi' }, picture] },
          { role: 'user', content: [{ type: 'text', text: 'hi' }, picture] },
        ],
      ],
      (_, input, spoken, heard) => {
        const message = toSent(input, 'me')
        const { id, createdAt } = message
        expect(message).toEqual({ id, createdAt, source: 'me', origin: 'person', ...spoken })
        expect(toReceived(message)).toEqual({ id, createdAt, source: 'me', origin: 'person', ...heard })
        expect(createdAt).toBe(new Date(0).toISOString())
      },
    ))

  it('is a copy of what was given', () => {
    const given = { content: 'hi' }
    expect(toSent(given, 'me')).not.toBe(given)
    expect(given).toEqual({ content: 'hi' })
  })

  it('keeps its id where a hook has changed it, and is another one where another agent repeats it', () => {
    const message = toSent('hi', 'me')
    expect(toSent({ ...message, content: 'ho' }, 'me')).toEqual({ ...message, content: 'ho' })
    const repeated = toSent(message, 'you')
    expect(repeated).toMatchObject({ source: 'you', content: 'hi' })
    expect(repeated.id).not.toBe(message.id)
  })

  it('cannot be anything else', ({ everyRow }) =>
    everyRow<[string, unknown]>(
      [
        ['nothing', undefined],
        ['null', null],
        ['a number', 7],
        ['a list', ['hi']],
        ['no content', {}],
        ['only a name', { source: 'me' }],
        ['a content that is no text', { content: 7 }],
        ['null as content', { content: null }],
        ['a field that nobody knows', { content: 'hi', function_call: {} }],
        ['an unknown role', { content: 'hi', role: 'function' }],
        ['no parts at all', { content: [] }],
        ['a call without an id', { content: [{ type: 'tool-call', toolName: 'add', input: {} }] }],
        [
          'an answer without output',
          { content: [{ type: 'tool-result', toolCallId: '1', toolName: 'add' }] },
        ],
      ],
      async (_, input) => {
        expect(await codeOf(() => toSent(input as MessageInput, 'me'))).toBe('INVALID_MESSAGE')
      },
    ))
})
