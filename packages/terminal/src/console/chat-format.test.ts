import { createMessage } from '@fenced/agents'
import { createEvent, type EventInit, humanInputRequest } from '@fenced/agents/testing'
import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
// @boundaries-ignore Tests of the agents use it as well; no package exports it.
import { answering, asking, denying } from '../../../agents/src/message/messages.fixture.ts'
import { ChatFormat } from './chat-format.ts'
import { said } from './conversation.fixture.ts'
import { plainTheme, type Theme } from './theme.ts'

const line = '-'.repeat(80)
const stars = '*'.repeat(80)
const call = { id: 'call_1', name: 'add', input: { a: 1, b: 2 } }
const block = (language: string) => ({ language, code: '' })
const message = { agent: 'a', recipient: 'b' }
const question = humanInputRequest({ kind: 'reply', agent: 'a', prompt: 'Well? ' })
const tagged: Theme = { ...plainTheme, paint: (color, text) => `[${color}:${text}]`, textWidth: 80 }

const spoken = (given: ModelMessage) => createMessage({ ...given, source: 'a', origin: 'model' })

describe('what an event prints', () => {
  it('is its text without color', ({ everyRow }) =>
    everyRow<[string, EventInit, string]>(
      [
        ['a message', said('a', 'b', 'Hello.'), `a (to b):\n\nHello.\n\n${line}\n`],
        ['a message that ends with a line break', said('a', 'b', 'x\n'), `a (to b):\n\nx\n\n\n${line}\n`],
        ['no human input', { type: 'no-human-input', agent: 'a' }, '\n>>>>>>>> NO HUMAN INPUT RECEIVED.\n'],
        ['an auto reply', { type: 'auto-reply', agent: 'a' }, '\n>>>>>>>> USING AUTO REPLY...\n'],
        [
          'one block',
          { type: 'code-start', agent: 'a', blocks: [block('python')] },
          '\n>>>>>>>> EXECUTING CODE BLOCK (inferred language is python)...\n',
        ],
        [
          'two blocks',
          { type: 'code-start', agent: 'a', blocks: [block('sh'), block('')] },
          '\n>>>>>>>> EXECUTING 2 CODE BLOCKS (inferred languages are [sh, unknown])...\n',
        ],
        ['a tool', { type: 'tool-start', agent: 'a', call }, '\n>>>>>>>> EXECUTING FUNCTION add...\n'],
        [
          'a suggested tool call',
          { type: 'message', ...message, message: spoken(asking('', call)) },
          `a (to b):\n\n***** Suggested tool call (call_1): add *****\nArguments: \n{"a":1,"b":2}\n${'*'.repeat(45)}\n\n${line}\n`,
        ],
        [
          'a suggested tool call behind words, with arguments that are no JSON',
          {
            type: 'message',
            ...message,
            message: spoken(asking('Adding.', { ...call, input: '{a' })),
          },
          `a (to b):\n\nAdding.\n***** Suggested tool call (call_1): add *****\nArguments: \n{a\n${'*'.repeat(45)}\n\n${line}\n`,
        ],
        [
          'the answers of two tools',
          {
            type: 'message',
            ...message,
            message: spoken(
              answering(
                { toolCallId: '1', name: 'add', content: '3' },
                { toolCallId: '2', name: 'add', content: '5' },
              ),
            ),
          },
          `a (to b):\n\n***** Response from calling tool (1) *****\n3\n${'*'.repeat(42)}\n\n${line}\n***** Response from calling tool (2) *****\n5\n${'*'.repeat(42)}\n\n${line}\n`,
        ],
        [
          'a person who speaks instead of a tool',
          {
            type: 'message',
            ...message,
            message: spoken(denying('Do not.', { id: '1', name: 'add', input: {} })),
          },
          `a (to b):\n\n***** Response from calling tool (1) *****\nUSER INTERRUPTED\n${'*'.repeat(42)}\n\n${line}\nDo not.\n\n${line}\n`,
        ],
        [
          'a chat of a queue',
          { type: 'chat-start', agent: 'a', recipient: 'b', queueIndex: 0 },
          `\n${stars}\nStarting a new chat....\n\n${stars}\n`,
        ],
        ['a chat', { type: 'chat-start', agent: 'a', recipient: 'b' }, ''],
        [
          'a notice',
          { type: 'notice', agent: 'a', notice: { code: 'gone', message: 'It is gone.' } },
          '\n>>>>>>>> It is gone.\n',
        ],
        ['a question', { type: 'human-input-requested', agent: 'a', request: question }, ''],
        ['a token', { type: 'text-delta', agent: 'a', text: 'x' }, ''],
        ['the end', { type: 'termination', agent: 'a', reason: 'Done.' }, ''],
      ],
      (_, event, text) => {
        expect(shown(event, plainTheme)).toBe(text)
      },
    ))

  it.each<[EventInit, string]>([
    [said('a', 'b', 'x'), '[yellow:a] (to b):'],
    [{ type: 'auto-reply', agent: 'a' }, '[red:>>>>>>>> USING'],
    [{ type: 'tool-start', agent: 'a', call }, '[magenta:>>>>>>>> EXECUTING FUNCTION'],
    [{ type: 'chat-start', agent: 'a', recipient: 'b', queueIndex: 1 }, '[blue:Starting a new chat'],
    [{ type: 'message', ...message, message: spoken(asking('', call)) }, '[green:***** Suggested'],
  ])('%o has its color', (event, text) => {
    expect(shown(event, tagged)).toContain(text)
  })

  it.each<[string, EventInit]>([
    ['a message', said('a\u001B[2J', 'b\u0007', 'x\u001B]0;title\u0007\u009B2J\r\u202Ey')],
    ['a language', { type: 'code-start', agent: 'a', blocks: [block('sh\u001B[2J')] }],
    ['a tool', { type: 'tool-start', agent: 'a', call: { ...call, name: 'x\u001B[2J' } }],
    [
      'arguments',
      {
        type: 'message',
        ...message,
        message: spoken(asking('', { ...call, id: '\u001B', input: '\u001B[A' })),
      },
    ],
  ])('control characters of %s are seen, not obeyed', (_, event) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about.
    expect(shown(event, plainTheme)).not.toMatch(/[\0-\x08\x0B-\x1F\x7F-\x9F\u202E]/)
  })
})

function shown(event: EventInit, theme: Theme): string {
  return new ChatFormat({ showTermination: false }).text(createEvent(event), theme)
}
