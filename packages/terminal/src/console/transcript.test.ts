import { createMessage } from '@fenced/agents'
import { createEvent, type EventInit } from '@fenced/agents/testing'
import { describe, expect, it } from 'vitest'
// @boundaries-ignore Tests of the agents use it as well; no package exports it.
import { asking } from '../../../agents/src/message/messages.fixture.ts'
import { ChatFormat } from './chat-format.ts'
import { chatEnd, chatStart, codeEnd, fibonacci, said } from './conversation.fixture.ts'
import { plainTheme } from './theme.ts'
import { Transcript } from './transcript.ts'

const line = '-'.repeat(80)
const executor = 'code_executor'
const writer = 'code_writer'
const head = `${writer} (to ${executor}):\n\n`
const delta = (text: string, agent = writer): EventInit => ({
  type: 'text-delta',
  agent,
  text,
})
const wrote = (text: string, type: 'stdout' | 'stderr' = 'stdout'): EventInit => ({
  type: 'code',
  agent: executor,
  retryAttempt: 0,
  event: { type, index: 0, text },
})
const running: EventInit = { type: 'code-start', agent: executor, blocks: [{ language: 'sh', code: '' }] }
const banner = '\n>>>>>>>> EXECUTING CODE BLOCK (inferred language is sh)...\n'

describe('what a model says', () => {
  it('is shown while it comes, and not once more', () => {
    expect(pieces(chatStart, delta('Hel'), delta('lo.'), said(writer, executor, 'Hello.'))).toEqual([
      '',
      `${head}Hel`,
      'lo.',
      `\n\n${line}\n`,
    ])
  })

  it.each([
    ['is longer', 'Hello. And more.', ' And more.\n'],
    ['is trimmed', 'Hello.', '\n', 'Hello.\n\n'],
    ['was changed by a hook', 'Changed.', '\n\nChanged.\n'],
  ])('is completed by a message that %s', (_, content, rest, streamed = 'Hello.') => {
    expect(pieces(chatStart, delta(streamed), said(writer, executor, content)).at(-1)).toBe(
      `${rest}\n${line}\n`,
    )
  })

  it('is followed by its tool calls', () => {
    const message = createMessage({
      ...asking('Adding.', { id: '1', name: 'add', input: {} }),
      source: writer,
      origin: 'model',
    })
    const shown = pieces(chatStart, delta('Adding.'), {
      type: 'message',
      agent: writer,
      recipient: executor,
      message,
    })
    expect(shown.at(-1)).toMatch(
      /^\n\*{5} Suggested tool call \(1\): add \*{5}\nArguments: \n\{\}\n\*+\n\n-+\n$/,
    )
  })

  it('does not count when another model steps in', () => {
    const fallback: EventInit = {
      type: 'model-fallback',
      agent: writer,
      modelId: 'one',
      nextModelId: 'two',
      message: 'It is busy.',
    }
    expect(pieces(chatStart, delta('Half'), fallback, delta('Whole'))).toEqual([
      '',
      `${head}Half`,
      '\n\n>>>>>>>> ASKING two INSTEAD OF one: It is busy.\n',
      `${head}Whole`,
    ])
  })

  it('is shown whole at the end when somebody else was shown in between', () => {
    expect(pieces(chatStart, delta('Half'), said('x', 'y', 'Me!'), said(writer, executor, 'Half.'))).toEqual([
      '',
      `${head}Half`,
      `\nx (to y):\n\nMe!\n\n${line}\n`,
      `${head}Half.\n\n${line}\n`,
    ])
  })

  it('is not mixed with what another one says at the same time', () => {
    const other: EventInit = { type: 'chat-start', agent: 'x', recipient: 'y' }
    expect(pieces(chatStart, other, delta('Mine'), delta('Yours', 'x'), said('x', 'y', 'Yours'))).toEqual([
      '',
      '',
      `${head}Mine`,
      '',
      `\nx (to y):\n\nYours\n\n${line}\n`,
    ])
  })

  it('is not shown when it is a summary, or nobody is known to listen', () => {
    const over: EventInit = { type: 'termination', agent: executor, reason: 'Done.' }
    expect(pieces(delta('x'), chatStart, over, delta('Summary'), chatEnd).join('')).toBe('')
  })

  it('goes to the inner one of two chats, and then to the outer one again', () => {
    const inner = { agent: writer, recipient: 'critic' }
    const shown = pieces(
      chatStart,
      { type: 'chat-start', ...inner },
      delta('In'),
      said(writer, 'critic', 'In'),
      { ...chatEnd, ...inner },
      delta('Out'),
    )
    expect(shown[2]).toBe(`${writer} (to critic):\n\nIn`)
    expect(shown.at(-1)).toBe(`${head}Out`)
  })
})

describe('what a program writes', () => {
  it('is shown while it comes, and not once more', () => {
    const reply = 'exitcode: 0 (execution succeeded)\nCode output: \n1\n2\nwarning\n'
    const shown = pieces(
      chatStart,
      running,
      wrote('1\n2'),
      wrote('\nwarn', 'stderr'),
      wrote('ing\n', 'stderr'),
      codeEnd(executor, '1\n2\nwarning\n'),
      said(executor, writer, reply),
    )
    expect(shown).toEqual([
      '',
      banner,
      '> 1\n> 2',
      '\n! \n! warn',
      'ing\n',
      '',
      `${executor} (to ${writer}):\n\nexitcode: 0 (execution succeeded)\nCode output: \n(shown above)\n\n${line}\n`,
    ])
  })

  it('leaves in the reply what was not shown before', () => {
    const output = 'early\nThe program was stopped after 1 s.\n'
    const shown = pieces(running, wrote('early\n'), codeEnd(executor, output), said(executor, writer, output))
    expect(shown.at(-1)).toContain('(shown above)\nThe program was stopped after 1 s.\n\n---')
  })

  it('is shown in the reply when it was shortened there', () => {
    const reply = 'Code output: \na ... z'
    const shown = pieces(
      running,
      wrote('abcdefz\n'),
      codeEnd(executor, 'abcdefz\n'),
      said(executor, writer, reply),
    )
    expect(shown.at(-1)).toContain(reply)
  })

  it('is remembered up to a bound only', () => {
    const output = 'y\n'.repeat(2 ** 19)
    const shown = pieces(
      running,
      wrote('x\n'),
      wrote(output),
      codeEnd(executor, output),
      said(executor, writer, output),
    )
    expect(shown.at(-1)?.length).toBeGreaterThan(output.length)
  })

  it('stands behind a margin that it cannot leave', () => {
    const shown = pieces(running, wrote('10%\r20%\n>>>>>>>> USING AUTO REPLY...\n\u001B[2Jfake\u001B[1A'))
    expect(shown.at(-1)).toBe('> 10%\r> 20%\n> >>>>>>>> USING AUTO REPLY...\n> ␛[2Jfake␛[1A')
  })

  it('shows results and notices too', () => {
    const code = { type: 'code', agent: executor, retryAttempt: 0 } as const
    const shown = pieces(
      running,
      { ...code, event: { type: 'result', index: 0, result: { 'text/plain': '42' } } },
      { ...code, event: { type: 'result', index: 0, result: { 'image/png': 'AA' } } },
      {
        ...code,
        event: { type: 'notice', notice: { code: 'pull', message: 'Pulling.' } },
      },
      codeEnd(executor, '42\n'),
      said(executor, writer, '42\n'),
    )
    expect(shown.slice(1, 4)).toEqual(['> 42\n', '', '- Pulling.\n'])
    expect(shown.at(-1)).toContain('\n\n(shown above)\n')
  })
})

it('a whole conversation says everything once', () => {
  const text = pieces(...fibonacci).join('')
  expect(text.match(/print\(233\)/g)).toHaveLength(1)
  expect(text).toContain(
    '...\n> 233\ncode_executor (to code_writer):\n\nexitcode: 0 (execution succeeded)\nCode output: \n(shown above)\n',
  )
})

/** What each event prints. */
function pieces(...events: readonly EventInit[]): string[] {
  const transcript = new Transcript(new ChatFormat({ live: true, showTermination: false }), true)
  return events.map((event) => transcript.text(createEvent(event), plainTheme))
}
