import { describe, expect, it } from 'vitest'
import type { FirstMessageContext, InitiateChatOptions } from '../agent/agent.ts'
import {
  codeOf,
  contentsOf,
  endless,
  eventsOf,
  historyOf,
  speaker,
  typesOf,
} from '../agent/agents.fixture.ts'
import { ScriptedHumanInput } from '../testing/scripted-human-input.ts'

/** What the partner hears first. */
const first = async (options: InitiateChatOptions, humanInput = new ScriptedHumanInput([])) => {
  const [a, b] = [speaker('a', [], { humanInput }), speaker('b')]
  await a.initiateChat(b, options)
  return historyOf(b, a)[0]
}

describe('the first message', () => {
  it('is a text or a message', async () => {
    expect(await first({ message: 'begin' })).toMatchObject({ role: 'user', content: 'begin', source: 'a' })
    expect(await first({ message: { content: 'begin', metadata: { k: 1 } } })).toMatchObject({
      role: 'user',
      content: 'begin',
      source: 'a',
      metadata: { k: 1 },
    })
    expect(await first({ message: '' })).toMatchObject({ content: '' })
  })

  it('is made by a function, which knows everything', async () => {
    const seen: FirstMessageContext[] = []
    const message = async (context: FirstMessageContext) => {
      seen.push(context)
      return 'made'
    }
    expect(
      await first({ message, carryover: ['x', { content: 'y' }], context: { topic: 'cats' } }),
    ).toMatchObject({ content: 'made' })
    expect(seen).toMatchObject([
      { sender: { name: 'a' }, recipient: { name: 'b' }, carryover: ['x', 'y'], context: { topic: 'cats' } },
    ])
  })

  it('is asked for where there is none', async () => {
    const person = new ScriptedHumanInput(['typed'])
    expect(await first({}, person)).toMatchObject({ content: 'typed' })
    expect(person.requests).toMatchObject([
      {
        id: expect.any(String),
        kind: 'first-message',
        agent: 'a',
        partner: 'b',
        prompt: '>',
        choices: [{ answer: 'exit', label: 'Ends the conversation' }],
      },
    ])
  })

  it('is not said when the person leaves instead', async () => {
    const [a, b] = [speaker('a', [], { humanInput: new ScriptedHumanInput(['exit']) }), speaker('b')]
    const result = await a.initiateChat(b, { carryover: 'x' })
    expect(result).toMatchObject({
      status: 'done',
      messages: [],
      summary: '',
      humanInput: ['exit'],
      stopReason: 'The person behind a asked to end it.',
    })
  })

  it.each<[string, unknown]>([
    ['an object without content', {}],
    ['a content that is no text', { content: 7 }],
    ['a list', ['x']],
    ['null', null],
    ['nothing that a function returns', () => undefined],
  ])('cannot be %s, with or without carryover', async (_, message) => {
    for (const carryover of [undefined, 'x']) {
      const [a, b] = [speaker('a'), speaker('b')]
      expect(await codeOf(() => a.initiateChat(b, { message: message as never, carryover }))).toBe(
        'INVALID_MESSAGE',
      )
      expect(historyOf(b, a)).toEqual([])
    }
  })

  it.each<[string, InitiateChatOptions['carryover'], string]>([
    ['a text', 'one thing', 'begin\nContext: \none thing'],
    ['texts', ['one', 'two'], 'begin\nContext: \none\ntwo'],
    ['a text and a message', ['one', { content: 'two' }], 'begin\nContext: \none\ntwo'],
    ['a list with an empty text', [''], 'begin\nContext: \n'],
    ['an empty text', '', 'begin'],
    ['an empty list', [], 'begin'],
    ['nothing', undefined, 'begin'],
  ])('CA-63: has %s behind it', async (_, carryover, content) => {
    expect((await first({ message: 'begin', carryover }))?.content).toBe(content)
    const given = { content: 'begin' }
    expect((await first({ message: given, carryover }))?.content).toBe(content)
    expect((await first({ carryover }, new ScriptedHumanInput(['begin'])))?.content).toBe(content)
    expect(given).toEqual({ content: 'begin' })
  })
})

describe('a first message of parts', () => {
  const text = (value: string) => ({ type: 'text' as const, text: value })
  const image = { type: 'image' as const, image: 'https://example.com/plot.png' }
  const file = { type: 'file', mediaType: 'image', data: image.image }

  it('can have a picture as the AI SDK writes it', async () => {
    for (const role of ['user', undefined] as const) {
      const content = [text('What is it?'), image]
      const message = { content, ...(role === undefined ? {} : { role }) }
      const [a, b] = [speaker('a'), speaker('b', ['It rises.'])]
      await a.initiateChat(b, { message })
      expect(historyOf(a, b)[0]?.content).toEqual([text('What is it?'), file])
      expect(historyOf(b, a)[0]).toMatchObject({ role: 'user', content: [text('What is it?'), file] })
    }
  })

  it('has texts of their own, and a carryover behind the last of them', async () => {
    const given = [text('hello'), text('goodbye')]
    expect((await first({ message: { content: given }, carryover: 'x' }))?.content).toBe(
      'hello\n\ngoodbye\nContext: \nx',
    )
    const around = [text('hello'), image, text('goodbye')]
    expect((await first({ message: { content: around }, carryover: 'x' }))?.content).toEqual([
      text('hello'),
      file,
      text('goodbye\nContext: \nx'),
    ])
    expect((await first({ message: { content: [image] }, carryover: 'x' }))?.content).toEqual([
      file,
      text('Context: \nx'),
    ])
    expect(given).toEqual([text('hello'), text('goodbye')])
  })
})

describe('options', () => {
  it('of a wrong kind are refused before the first word', ({ everyRow }) =>
    everyRow<[string, object]>(
      [
        ['a carryover that is a number', { carryover: 7 }],
        ['a carryover with a number in it', { carryover: ['x', 7] }],
        ['a carryover without content', { carryover: [{ text: 'x' }] }],
        ['an unknown summary', { summaryMethod: 'first_msg' }],
        ['unknown arguments of the summary', { summaryArgs: { summary_prompt: 'x' } }],
        ['a message that is a number', { message: 7 }],
        ['half a turn', { maxTurns: 0.5 }],
        ['turns below none', { maxTurns: -1 }],
        ['an option that nobody knows', { max_turns: 2 }],
      ],
      async (_, options) => {
        const [a, b] = [speaker('a', endless('x')), speaker('b', endless('y'))]
        await a.initiateChat(b, { message: 'earlier', maxTurns: 1 })
        const chat = a.initiateChat(b, { message: 'begin', ...options })
        expect(await codeOf(() => chat)).toBe('INVALID_OPTIONS')
        expect(contentsOf(historyOf(a, b))).toEqual(['earlier', 'y'])
        expect((await a.initiateChat(b, { message: 'next', maxTurns: 1 })).messages).toHaveLength(2)
      },
    ))
})

describe('maxTurns', () => {
  it.each([1, 2, 3, 7])(
    'CA-64: %i are twice as many messages, of which the recipient has the last',
    async (maxTurns) => {
      const [a, b] = [speaker('a', endless('from a')), speaker('b', endless('from b'))]
      const { messages, stopReason } = await a.initiateChat(b, { message: 'begin', maxTurns })
      expect(messages.map(({ source }) => source)).toEqual(
        Array.from({ length: maxTurns }, () => ['a', 'b']).flat(),
      )
      expect(stopReason).toBe(`The maximum of ${maxTurns} turns is reached.`)
    },
  )

  it('CA-64: 0 says nothing and asks nobody', async () => {
    const person = new ScriptedHumanInput([])
    const chat = speaker('a', [], { humanInput: person }).initiateChat(speaker('b'), { maxTurns: 0 })
    expect(typesOf(await eventsOf(chat))).toEqual(['chat-start', 'termination', 'chat-end'])
    expect(await chat).toMatchObject({ messages: [], summary: '', status: 'done' })
    expect(person.requests).toEqual([])
  })

  it('CA-64: are not reached when the one who began has no reply', async () => {
    const [a, b] = [speaker('a', ['once']), speaker('b', endless('from b'))]
    const { messages } = await a.initiateChat(b, { message: 'begin', maxTurns: 5 })
    expect(contentsOf(messages)).toEqual(['begin', 'from b', 'once', 'from b'])
  })
})

describe('a conversation', () => {
  it('tells what happens, in order', async () => {
    const chat = speaker('a', ['next']).initiateChat(speaker('b', ['so', 'TERMINATE']), { message: 'begin' })
    const said = (agent: string, recipient: string, content: string) => ({
      type: 'message',
      agent,
      recipient,
      message: { role: 'assistant', content, source: agent },
    })
    const events = await eventsOf(chat)
    expect(events).toMatchObject([
      { type: 'chat-start', agent: 'a', recipient: 'b' },
      said('a', 'b', 'begin'),
      said('b', 'a', 'so'),
      said('a', 'b', 'next'),
      said('b', 'a', 'TERMINATE'),
      { type: 'termination', agent: 'b', reason: 'b sent a message that ends it.' },
      { type: 'chat-end', agent: 'a', recipient: 'b', result: await chat },
    ])
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
    const times = events.map(({ createdAt }) => new Date(createdAt).toISOString())
    expect(times).toEqual(events.map(({ createdAt }) => createdAt).toSorted())
  })

  it('has a result that is plain data', async () => {
    const result = await speaker('a').initiateChat(speaker('b', ['done']), { message: 'begin' })
    const [said, heard] = result.messages
    const origin = 'person'
    expect(JSON.parse(JSON.stringify(result))).toEqual({
      status: 'done',
      text: 'done',
      files: [],
      messages: [
        {
          id: said?.id,
          createdAt: said?.createdAt,
          role: 'assistant',
          content: 'begin',
          source: 'a',
          origin,
        },
        { id: heard?.id, createdAt: heard?.createdAt, role: 'user', content: 'done', source: 'b', origin },
      ],
      summary: 'done',
      summaryOrigin: origin,
      usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0, byModel: {} },
      humanInput: [],
      stopReason: 'a has no reply.',
    })
  })

  it('of the same two agents waits for the end of the one that there is', async () => {
    const gate = Promise.withResolvers<void>()
    const a = speaker('a')
    const b = speaker('b', async () => {
      await gate.promise
      return null
    })
    const running = a.initiateChat(b, { message: 'begin' })
    expect(await codeOf(() => a.initiateChat(b, { message: 'me too' }))).toBe('CHAT_IN_PROGRESS')
    expect(await codeOf(() => b.initiateChat(a, { message: 'me too' }))).toBe('CHAT_IN_PROGRESS')
    gate.resolve()
    expect(contentsOf((await running).messages)).toEqual(['begin'])
    expect((await b.initiateChat(a, { message: 'now' })).status).toBe('done')
  })

  it('of the same two agents can be held again after one that failed', async () => {
    const [a, b] = [speaker('a'), speaker('b', [null])]
    const failing = a.initiateChat(b, { message: () => Promise.reject(new Error('no idea')) })
    await expect(failing).rejects.toThrow('no idea')
    expect((await a.initiateChat(b, { message: 'begin' })).status).toBe('done')
  })
})
