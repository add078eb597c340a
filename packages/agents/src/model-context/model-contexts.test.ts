import { describe, expect, it } from 'vitest'
import { codeOf } from '../agent/agents.fixture.ts'
import { createMessage, type Message } from '../message/message.ts'
import { plain } from '../message/messages.fixture.ts'
import {
  BufferedChatCompletionContext,
  HeadAndTailChatCompletionContext,
  TokenLimitedChatCompletionContext,
  UnboundedChatCompletionContext,
} from './contexts.ts'
import { answer, assistant, call, contentsOf, user } from './messages.fixture.ts'
import type { ModelContext, ModelContextState } from './model-context.ts'

const words = (text: string) => text.split(/\s+/).length
const numbers = (count: number) => Array.from({ length: count }, (_, index) => user(`${index + 1}`))

async function after(context: ModelContext, messages: readonly Message[]): Promise<readonly Message[]> {
  for (const message of messages) await context.add(message)
  return context.messages()
}

describe('the buffered context', () => {
  const buffered = (bufferSize: number) => new BufferedChatCompletionContext({ bufferSize })

  it.each<[string, number, Message[], Message[]]>([
    ['all, where there are few', 3, numbers(2), numbers(2)],
    ['the newest', 2, numbers(4), [user('3'), user('4')]],
    ['no answer at the beginning without its call', 2, [call('a'), answer('a'), user('x')], [user('x')]],
    [
      'a call with its answer where both fit',
      3,
      [user('0'), call('a'), answer('a'), user('x')],
      [call('a'), answer('a'), user('x')],
    ],
    [
      'the newest answer with its call, though they are more',
      1,
      [user('0'), call('a'), answer('a')],
      [call('a'), answer('a')],
    ],
    ['nothing of nothing', 1, [], []],
  ])('hands out %s (MC-02)', async (_, size, history, expected) => {
    expect(await after(buffered(size), history)).toEqual(expected)
  })
})

describe('the head-and-tail context', () => {
  const headAndTail = (headSize: number, tailSize: number) =>
    new HeadAndTailChatCompletionContext({ headSize, tailSize })
  const gap = (content: string): Message =>
    createMessage({ role: 'user', source: '', origin: 'program', content })

  it.each<[string, [number, number], Message[], Message[]]>([
    ['all, where there is no middle', [2, 2], numbers(4), numbers(4)],
    [
      'both ends, and how much is missing',
      [1, 2],
      numbers(6),
      [user('1'), gap('(3 messages are left out here.)'), user('5'), user('6')],
    ],
    ['one that is missing', [1, 1], numbers(3), [user('1'), gap('(1 message is left out here.)'), user('3')]],
    [
      'no call at the end of the head whose answer is missing',
      [2, 1],
      [user('1'), call('a'), answer('a'), user('4'), user('5')],
      [user('1'), gap('(3 messages are left out here.)'), user('5')],
    ],
    [
      'no answer at the beginning of the tail whose call is missing',
      [1, 2],
      [user('1'), user('2'), call('a'), answer('a'), user('5')],
      [user('1'), gap('(3 messages are left out here.)'), user('5')],
    ],
    [
      'the newest answer with its call',
      [1, 1],
      [user('1'), user('2'), call('a'), answer('a')],
      [user('1'), gap('(1 message is left out here.)'), call('a'), answer('a')],
    ],
    [
      'only the tail where the head does not fit',
      [1, 1],
      [call('a'), answer('a'), user('3')],
      [gap('(2 messages are left out here.)'), user('3')],
    ],
  ])('hands out %s (MC-03)', async (_, [head, tail], history, expected) => {
    expect(plain(await after(headAndTail(head, tail), history))).toEqual(plain(expected))
  })
})

describe('the token-limited context', () => {
  // Every message of one word counts 5.
  const limited = (tokenLimit: number) =>
    new TokenLimitedChatCompletionContext({ tokenLimit, countTokens: words })

  it.each<[string, number, Message[], string[]]>([
    ['all that fits', 25, numbers(5), ['1', '2', '3', '4', '5']],
    ['less from the middle', 24, numbers(5), ['1', '2', '4', '5']],
    ['both ends', 10, numbers(5), ['1', '5']],
    ['of two the newer one', 9, numbers(5), ['5']],
    ['the newest, however long it is', 1, numbers(2), ['2']],
  ])('hands out %s (MC-04)', async (_, limit, history, expected) => {
    expect(contentsOf(await after(limited(limit), history))).toEqual(expected)
  })

  it('leaves out a call and its answer together', async () => {
    const history = [user('1'), call('a'), answer('a'), user('4')]
    expect(await after(limited(20), history)).toEqual([user('1'), user('4')])
  })

  it('counts an answer once that is the text as well, and the arguments of calls', async () => {
    const texts: string[] = []
    const countTokens = (text: string) => texts.push(text)
    await after(new TokenLimitedChatCompletionContext({ tokenLimit: 1000, countTokens }), [
      { ...user('x'), source: 'coder' },
      call('a'),
      answer('a', 'b'),
    ])
    expect(texts).toEqual(['x', 'coder', 'add', '{"a":1}', 'a', 'b'])
  })

  it('counts every message once, however often it is asked, and waits for the count', async () => {
    let counted = 0
    const context = new TokenLimitedChatCompletionContext({
      tokenLimit: 10,
      countTokens: async () => {
        counted++
        return 1
      },
    })
    expect(contentsOf(await after(context, numbers(3)))).toEqual(['1', '3'])
    expect(contentsOf(await context.messages())).toEqual(['1', '3'])
    expect(counted).toBe(3)
  })

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('refuses a count of %d', async (count) => {
    const context = new TokenLimitedChatCompletionContext({ tokenLimit: 10, countTokens: () => count })
    expect(await codeOf(() => after(context, numbers(1)))).toBe('INVALID_TOKEN_COUNT')
  })
})

describe.each<[string, (initialMessages?: readonly Message[]) => ModelContext]>([
  ['unbounded', (initialMessages) => new UnboundedChatCompletionContext({ initialMessages })],
  ['buffered', (initialMessages) => new BufferedChatCompletionContext({ bufferSize: 9, initialMessages })],
  [
    'head-and-tail',
    (initialMessages) => new HeadAndTailChatCompletionContext({ headSize: 9, tailSize: 9, initialMessages }),
  ],
  [
    'token-limited',
    (initialMessages) => new TokenLimitedChatCompletionContext({ tokenLimit: 99, initialMessages }),
  ],
])('the %s context (MC-01, MC-05)', (_, make) => {
  it('begins with its initial messages, and begins with them again when it is cleared', async () => {
    const initial = [user('example'), assistant('answer')]
    const context = make(initial)
    expect(await after(context, [user('x')])).toEqual([...initial, user('x')])
    await context.clear()
    expect(await context.messages()).toEqual(initial)
    expect(initial).toHaveLength(2)
  })

  it('hands out a list of its own', async () => {
    const context = make()
    const before = await after(context, [user('x')])
    await context.add(user('y'))
    expect(before).toEqual([user('x')])
  })

  it('goes on from a saved state, also as JSON', async () => {
    const context = make([user('example')])
    const history = [call('a'), { ...answer('a'), metadata: { deep: [1] } }, user('x')]
    await after(context, history)
    const state = await context.saveState()
    await context.add(user('later'))
    const other = make()
    await other.add(user('forgotten'))
    await other.loadState(JSON.parse(JSON.stringify(state)))
    expect(await other.messages()).toEqual([user('example'), ...history])
    expect(state).toMatchObject({ type: 'ModelContext', version: 3 })
    expect(state.messages).toHaveLength(4)
  })

  it('refuses what is not a state of it, and keeps what it has', ({ everyRow }) =>
    everyRow<[string, unknown]>(
      [
        ['another type', { type: 'Team', version: 3, messages: [] }],
        ['a newer version', { type: 'ModelContext', version: 4, messages: [] }],
        [
          'a message that is none',
          { type: 'ModelContext', version: 3, messages: [{ ...user('x'), role: 'robot' }] },
        ],
        [
          'a message without an origin',
          { type: 'ModelContext', version: 3, messages: [{ ...user('x'), origin: undefined }] },
        ],
        ['an earlier version', { type: 'ModelContext', version: 2, messages: [] }],
        ['more than it knows', { type: 'ModelContext', version: 3, messages: [], more: true }],
        ['nothing', undefined],
      ],
      async (_, state) => {
        const context = make()
        await context.add(user('x'))
        expect(await codeOf(() => context.loadState(state as ModelContextState))).toBe('INVALID_STATE')
        expect(await context.messages()).toEqual([user('x')])
      },
    ))
})

it('a wrong option of a context is refused', ({ everyRow }) =>
  everyRow<[string, () => unknown]>(
    [
      ['a buffer of nothing', () => new BufferedChatCompletionContext({ bufferSize: 0 })],
      ['half a message', () => new BufferedChatCompletionContext({ bufferSize: 1.5 })],
      ['no head', () => new HeadAndTailChatCompletionContext({ headSize: 0, tailSize: 1 })],
      ['no tail', () => new HeadAndTailChatCompletionContext({ headSize: 1, tailSize: -1 })],
      ['no tokens', () => new TokenLimitedChatCompletionContext({ tokenLimit: 0 })],
      ['an unknown option', () => new UnboundedChatCompletionContext({ bufferSize: 1 } as object)],
      [
        'a message that is none',
        () => new UnboundedChatCompletionContext({ initialMessages: [{} as Message] }),
      ],
      [
        'a counter that does not count',
        () => new TokenLimitedChatCompletionContext({ tokenLimit: 1, countTokens: 3 as never }),
      ],
    ],
    async (_, make) => {
      expect(await codeOf(make)).toBe('INVALID_OPTIONS')
    },
  ))
