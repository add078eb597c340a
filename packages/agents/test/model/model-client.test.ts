import { getEventListeners } from 'node:events'
import { FencedError } from '@fenced/core'
import { APICallError, jsonSchema, type LanguageModel } from 'ai'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { ModelEvent } from '../../src/event.ts'
import {
  calls,
  finish,
  hangs,
  hangsAfter,
  mockModel,
  type Part,
  type Script,
  says,
  speaks,
} from '../../src/model/mock-model.fixture.ts'
import { ModelClient, type ModelClientOptions } from '../../src/model/model-client.ts'
import type { AskOptions, ModelRequest } from '../../src/model/model-request.ts'
import { unwantedEffectsOf } from './unwanted-effects.fixture.ts'

const messages = [{ role: 'user', content: 'hello' }] as const
const weather = { description: 'Tells the weather.', inputSchema: z.object({ city: z.string() }) }
const noRetries = { maxRetries: 0 }

/** Asks, with everything that is told, and checks that nothing is printed and no promise forgotten. */
async function ask(
  model: ModelClientOptions['model'],
  {
    request = {},
    ...options
  }: Omit<ModelClientOptions, 'model'> & { request?: Partial<ModelRequest> } & AskOptions = {},
) {
  const events: ModelEvent[] = []
  const client = new ModelClient({ model, modelOptions: noRetries, ...options })
  const onEvent = (event: ModelEvent) => {
    events.push(event)
    return options.onEvent?.(event)
  }
  let outcome: { reply?: Awaited<ReturnType<ModelClient['ask']>>; error?: unknown } = {}
  const effects = await unwantedEffectsOf(async () => {
    outcome = await client.ask({ messages, ...request }, { ...options, onEvent }).then(
      (reply) => ({ reply }),
      (error: unknown) => ({ error }),
    )
  })
  expect(effects).toEqual([])
  return { events, ...outcome }
}

const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }
const apiError = (statusCode: number, message: string, data?: unknown) =>
  new APICallError({ message, url: 'http://localhost/', requestBodyValues: {}, statusCode, data })

describe('an answer', () => {
  it('comes as text, told while it comes, with its usage', async () => {
    const { events, reply } = await ask(mockModel('m', says('Hel', '', 'lo')))
    expect(reply).toEqual({
      text: 'Hello',
      content: 'Hello',
      toolCalls: [],
      modelId: 'm',
      finishReason: 'stop',
    })
    expect(events).toEqual([
      { type: 'text-delta', text: 'Hel' },
      { type: 'text-delta', text: 'lo' },
      { type: 'usage', modelId: 'm', usage },
    ])
  })

  it.each<[string, Part[], object]>([
    ['may be empty', says(), { text: '' }],
    ['may have nothing but an end', [finish()], { text: '' }],
    [
      'is kept when it reached the limit',
      [...speaks('Hel'), finish({ reason: 'length' })],
      { text: 'Hel', finishReason: 'length' },
    ],
    [
      'may end for another reason',
      [...speaks('Hel'), finish({ reason: 'other' })],
      { text: 'Hel', finishReason: 'other' },
    ],
    [
      'is all of its texts',
      [
        { type: 'text-start', id: 'a' },
        { type: 'text-delta', id: 'a', delta: 'one ' },
        { type: 'text-end', id: 'a' },
        { type: 'text-start', id: 'b' },
        { type: 'text-delta', id: 'b', delta: 'two' },
        { type: 'text-end', id: 'b' },
        finish(),
      ],
      { text: 'one two' },
    ],
  ])('%s', async (_, parts, expected) => {
    const { reply } = await ask(mockModel('m', parts))
    expect(reply).toMatchObject({ toolCalls: [], ...expected })
  })

  it('does not hold what the model thought', async () => {
    const { events, reply } = await ask(
      mockModel('m', [
        { type: 'reasoning-start', id: 'r' },
        { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
        { type: 'reasoning-end', id: 'r' },
        ...says('Yes'),
      ]),
    )
    expect(reply?.text).toBe('Yes')
    expect(events.slice(0, 2)).toEqual([
      { type: 'reasoning-delta', text: 'Hm.' },
      { type: 'text-delta', text: 'Yes' },
    ])
  })

  it('counts what the provider did not tell as 0, and has its price', async () => {
    const prices = { m: { inputPerMillion: 1, outputPerMillion: 2_000_000 } }
    const parts = [...speaks('Yes'), finish({ input: undefined, output: 3 })].map((part) =>
      part.type === 'finish'
        ? { ...part, usage: { ...part.usage, inputTokens: { ...part.usage.inputTokens, total: undefined } } }
        : part,
    )
    const { events } = await ask(mockModel('m', parts), { prices })
    expect(events.at(-1)).toEqual({
      type: 'usage',
      modelId: 'm',
      usage: { inputTokens: 0, outputTokens: 3, totalTokens: 3, cost: 6 },
    })
  })

  it('waits for whoever is told of it', async () => {
    const order: string[] = []
    const model = mockModel('m', says('a', 'b'))
    await ask(model, {
      onEvent: async (event) => {
        order.push(`${event.type} begins`)
        await new Promise((resolve) => setTimeout(resolve, 5))
        order.push(`${event.type} ends`)
      },
    })
    expect(order).toEqual(
      ['text-delta', 'text-delta', 'usage'].flatMap((type) => [`${type} begins`, `${type} ends`]),
    )
  })
})

describe('a request', () => {
  it('has instructions, options, and tools without anything to run', async () => {
    const model = mockModel('m', says('Yes'))
    const execute = vi.fn()
    await ask(model, {
      modelOptions: {
        temperature: 0.5,
        maxOutputTokens: 9,
        seed: 7,
        headers: { 'x-team': 'a' },
        toolChoice: 'auto',
      },
      request: { instructions: 'Be kind.', tools: { weather: { ...weather, execute } as typeof weather } },
    })
    expect(model.doStreamCalls).toHaveLength(1)
    expect(model.doStreamCalls[0]).toMatchObject({
      prompt: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      ],
      temperature: 0.5,
      maxOutputTokens: 9,
      seed: 7,
      tools: [{ type: 'function', name: 'weather', description: 'Tells the weather.' }],
      toolChoice: { type: 'auto' },
    })
    expect(model.doStreamCalls[0]?.headers).toMatchObject({ 'x-team': 'a' })
    expect(execute).not.toHaveBeenCalled()
  })

  it.each([[undefined], [{}]])('with tools %j has none, and nothing that forces one', async (tools) => {
    const model = mockModel('m', says('Yes'))
    await ask(model, { modelOptions: { toolChoice: 'required' }, request: { tools } })
    expect(model.doStreamCalls[0]?.tools).toBeUndefined()
  })

  it('takes one step, also with calls', async () => {
    const model = mockModel('m', calls({ name: 'weather', input: '{"city":"Bonn"}' }), says('Yes'))
    const { reply } = await ask(model, { request: { tools: { weather } } })
    expect(model.doStreamCalls).toHaveLength(1)
    expect(reply?.toolCalls).toEqual([{ id: 'call-1', name: 'weather', input: { city: 'Bonn' } }])
  })
})

describe('a call of a tool', () => {
  const tools = {
    weather,
    ping: { inputSchema: jsonSchema({ type: 'object' }) },
  }

  it('has its arguments, or the error in them', ({ everyRow }) =>
    everyRow<[string, { name: string; input: string }, object]>(
      [
        ['has its arguments', { name: 'weather', input: '{"city":"Bonn"}' }, { input: { city: 'Bonn' } }],
        ['without arguments has an empty object', { name: 'ping', input: '' }, { input: {} }],
        [
          'with raw line breaks is repaired',
          { name: 'weather', input: '{"city":"Bo\nn\tn"}' },
          { input: { city: 'Bo\nn\tn' } },
        ],
        [
          'without JSON holds the text',
          { name: 'weather', input: '{"city": Bonn' },
          { input: '{"city": Bonn' },
        ],
        ['with other arguments is one', { name: 'weather', input: '{"city":5}' }, { input: { city: 5 } }],
        [
          'of an unknown tool is one',
          { name: 'wheather', input: '{"city":"Bonn"}' },
          { input: { city: 'Bonn' } },
        ],
        [
          'of a tool with a strange name keeps it',
          { name: 'функция <tool>\u0000 ', input: '{}' },
          { input: {} },
        ],
        ['of a name that every object has is one', { name: 'constructor', input: '{}' }, {}],
        [
          'that would change all objects holds the text',
          { name: 'ping', input: '{"__proto__": {"a": 1}}' },
          {},
        ],
      ],
      async (_, call, expected) => {
        const { reply } = await ask(mockModel('m', calls(call)), { request: { tools } })
        expect(reply?.toolCalls).toEqual([
          { id: 'call-1', name: call.name, ...expected, input: reply?.toolCalls[0]?.input },
        ])
        expect(reply?.toolCalls[0]).toMatchObject(expected)
        expect(reply?.finishReason).toBe('tool-calls')
      },
    ))

  it('may come with others and with a text; those of the provider itself are not told', async () => {
    const { reply } = await ask(
      mockModel('m', [
        ...speaks('Let me see.'),
        {
          type: 'tool-call',
          toolCallId: 's',
          toolName: 'search',
          input: '{}',
          providerExecuted: true,
          dynamic: true,
        },
        { type: 'tool-result', toolCallId: 's', toolName: 'search', result: {}, dynamic: true },
        ...calls(
          { id: 'a', name: 'weather', input: '{"city":"Bonn"}' },
          { id: 'b', name: 'nothing', input: 'x' },
        ),
      ]),
      { request: { tools } },
    )
    expect(reply).toMatchObject({ text: 'Let me see.', toolCalls: [{ id: 'a' }, { id: 'b', input: 'x' }] })
    expect(reply?.toolCalls).toHaveLength(2)
  })
})

const failures: readonly (readonly [name: string, script: Script, reason: string | undefined])[] = [
  ['an error of the API', apiError(500, 'Internal Server Error'), 'Internal Server Error'],
  ['an error of any kind', new Error('It broke.'), 'It broke.'],
  [
    'an error in the stream',
    [...speaks('Hel'), { type: 'error', error: new Error('It broke.') }],
    'It broke.',
  ],
  [
    'an error in the stream that is none',
    [{ type: 'error', error: { overloaded: true } }, finish()],
    '{"overloaded":true}',
  ],
  [
    'a stream that breaks',
    async () => new ReadableStream({ start: (stream) => stream.error(new Error('socket hang up')) }),
    'socket hang up',
  ],
  ['a stream that is cut off', speaks('Hel'), undefined],
  ['a stream without anything', [], undefined],
  ['a stream that was interrupted', [...speaks('Hel'), finish({ reason: 'interrupted' })], undefined],
  ['a stream that ends with an error', [...speaks('Hel'), finish({ reason: 'error' })], undefined],
  ['parts that nobody began', [{ type: 'text-delta', id: '?', delta: 'Hel' }, finish()], undefined],
  ['no stream at all', async () => undefined as unknown as ReadableStream<Part>, undefined],
]

describe('a model that fails', () => {
  it('with an error of any kind is followed by the next', ({ everyRow }) =>
    everyRow(failures, async (_, script, reason = '') => {
      const first = mockModel('first', script)
      const second = mockModel('second', says('Yes'))
      const { events, reply } = await ask([first, second])
      expect(reply).toMatchObject({ text: 'Yes', modelId: 'second' })
      const told = events.map(({ type }) => type)
      expect(told.slice(told.indexOf('model-fallback'))).toEqual(['model-fallback', 'text-delta', 'usage'])
      expect(events).toContainEqual({
        type: 'model-fallback',
        modelId: 'first',
        nextModelId: 'second',
        message: expect.stringContaining(reason),
      })
    }))

  it('with an error of any kind and is the only one is an error', ({ everyRow }) =>
    everyRow(failures, async (_, script, reason = expect.any(String)) => {
      const { error } = await ask(mockModel('only', script))
      expect(error).toMatchObject({
        code: 'MODEL_FAILED',
        data: { model: 'only (mock)', reason },
        cause: expect.anything(),
      })
    }))

  it('is asked first again the next time', async () => {
    const first = mockModel('first', new Error('It broke.'), says('Back'))
    const client = new ModelClient({
      model: [first, mockModel('second', says('Yes'))],
      modelOptions: noRetries,
    })
    expect((await client.ask({ messages })).modelId).toBe('second')
    expect((await client.ask({ messages })).modelId).toBe('first')
  })

  it('tells what it has used, when it did', async () => {
    const broken: Part[] = [...speaks('Hel'), { type: 'error', error: 'broken' }, finish()]
    const { events } = await ask([mockModel('first', broken), mockModel('second', says('Yes'))])
    expect(events.filter(({ type }) => type === 'usage')).toEqual([
      { type: 'usage', modelId: 'first', usage },
      { type: 'usage', modelId: 'second', usage },
    ])
  })

  it('is not listened to any more after its error', async () => {
    const broken: Part[] = [...speaks('Hel'), { type: 'error', error: 'broken' }, ...says('lo')]
    const { events } = await ask([mockModel('first', broken), mockModel('second', says('Yes'))])
    expect(events.filter(({ type }) => type === 'text-delta')).toEqual([
      { type: 'text-delta', text: 'Hel' },
      { type: 'text-delta', text: 'Yes' },
    ])
  })

  it('does not keep others waiting when it goes on after an error', async () => {
    const stuck = hangsAfter(...speaks('Hel'), { type: 'error', error: 'broken' })
    const { reply } = await ask([mockModel('first', stuck), mockModel('second', says('Yes'))])
    expect(reply?.modelId).toBe('second')
  })

  it.each([
    ['before its stream', hangs],
    ['within its stream', hangsAfter(...speaks('Hel'))],
  ])('for it takes too long %s is followed by the next', async (_, script) => {
    const { events, reply } = await ask([mockModel('first', script), mockModel('second', says('Yes'))], {
      modelOptions: { ...noRetries, timeout: 500 },
    })
    expect(reply?.modelId).toBe('second')
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'model-fallback', message: expect.stringContaining('timeout') }),
    )
  })

  it('does not call the tool that it has to is followed by the next', async () => {
    const { reply } = await ask(
      [
        mockModel('first', says('No.')),
        mockModel('second', calls({ name: 'weather', input: '{"city":"Bonn"}' })),
      ],
      { modelOptions: { ...noRetries, toolChoice: 'required' }, request: { tools: { weather } } },
    )
    expect(reply?.modelId).toBe('second')
  })

  it('is named with its reason and what to do, when all did', async () => {
    const keys = { 'x-api-key': 'the-secret-of-all' }
    const { error } = await ask(
      [
        mockModel('a', apiError(401, 'Incorrect API key provided: sk-1234')),
        mockModel('b', apiError(429, 'Too many requests for the-secret-of-all')),
        mockModel('c', apiError(404, 'no such model')),
        mockModel('d', new Error('x'.repeat(1_000))),
      ],
      { modelOptions: { ...noRetries, headers: keys } },
    )
    expect(FencedError.isInstance(error)).toBe(true)
    expect((error as FencedError).data).toEqual({
      model: 'a (mock), b (mock), c (mock), d (mock)',
      statusCode: '401, 429, 404',
      reason: [
        'Incorrect API key provided: [redacted]',
        'Too many requests for [redacted]',
        'no such model',
        `${'x'.repeat(300)}…`,
      ].join('\n'),
    })
    const { cause } = error as { cause: AggregateError }
    expect(cause).toBeInstanceOf(AggregateError)
    expect(cause.errors).toHaveLength(4)
  })

  it('has a version that nobody knows is named', async () => {
    const old = { specificationVersion: 'v1', provider: 'old', modelId: 'm' } as unknown as LanguageModel
    expect((await ask(old)).error).toMatchObject({
      code: 'MODEL_FAILED',
      data: { model: 'm (old)' },
    })
  })
})

describe('a refusal', () => {
  it.each<[string, Script]>([
    ['at the end', [...speaks('I will'), finish({ reason: 'content-filter' })]],
    ['as an error', apiError(400, 'filtered', { error: { code: 'content_filter' } })],
    [
      'as an error in the stream',
      [...speaks('I will'), { type: 'error', error: { message: 'no', code: 'content_filter' } }],
    ],
  ])('%s is an error at once', async (_, script) => {
    const second = mockModel('second', says('Yes'))
    const { error } = await ask([mockModel('first', script), second])
    expect(error).toMatchObject({ code: 'MODEL_REFUSED', data: { model: 'first (mock)' } })
    expect(second.doStreamCalls).toHaveLength(0)
  })
})

describe('an abort', () => {
  const reason = new Error('enough')

  it('before the request asks nobody', async () => {
    const model = mockModel('m', says('Yes'))
    expect((await ask(model, { signal: AbortSignal.abort(reason) })).error).toBe(reason)
    expect(model.doStreamCalls).toHaveLength(0)
  })

  it.each<[string, Script]>([
    ['before the stream', hangs],
    ['within the stream', hangsAfter(...speaks('Hel'))],
    ['after an error', hangsAfter({ type: 'error', error: 'broken' })],
  ])('%s ends the request with its reason, and asks no other model', async (_, script) => {
    const aborter = new AbortController()
    const second = mockModel('second', says('Yes'))
    setTimeout(() => aborter.abort(reason), 50)
    const { error } = await ask([mockModel('first', script), second], { signal: aborter.signal })
    expect(error).toBe(reason)
    expect(second.doStreamCalls).toHaveLength(0)
  })

  it('does not wait for a listener that hangs', async () => {
    const aborter = new AbortController()
    setTimeout(() => aborter.abort(reason), 50)
    const model = mockModel('m', says('Yes'))
    const { error } = await ask(model, { signal: aborter.signal, onEvent: () => new Promise(() => {}) })
    expect(error).toBe(reason)
  })

  it('by the listener of a fallback asks no other model', async () => {
    const aborter = new AbortController()
    const second = mockModel('second', says('Yes'))
    const { error } = await ask([mockModel('first', new Error('It broke.')), second], {
      signal: aborter.signal,
      onEvent: () => aborter.abort(reason),
    })
    expect(error).toBe(reason)
    expect(second.doStreamCalls).toHaveLength(0)
  })

  it('by a listener that then fails is still an abort', async () => {
    const aborter = new AbortController()
    const { error } = await ask(mockModel('m', says('Yes')), {
      signal: aborter.signal,
      onEvent: async () => {
        aborter.abort(reason)
        await new Promise((resolve) => setTimeout(resolve, 1))
        throw new Error('no room')
      },
    })
    expect(error).toBe(reason)
  })

  it('leaves nothing behind on a signal that lives on', async () => {
    const { signal } = new AbortController()
    await ask(mockModel('m', says('Yes')), { signal, onEvent: async () => {} })
    await ask(mockModel('m', new Error('It broke.')), { signal })
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('reaches the model', async () => {
    const aborter = new AbortController()
    const model = mockModel('m', hangsAfter(...speaks('Hel')))
    await ask(model, { signal: aborter.signal, onEvent: () => aborter.abort(reason) })
    expect(model.doStreamCalls[0]?.abortSignal?.aborted).toBe(true)
  })
})

describe('a listener that throws', () => {
  it.each<[string, () => void | Promise<void>]>([
    [
      'at once',
      () => {
        throw new Error('no room')
      },
    ],
    [
      'later',
      async () => {
        throw new Error('no room')
      },
    ],
  ])('%s ends the request, and asks no other model', async (_, onEvent) => {
    const first = mockModel('first', hangsAfter(...speaks('Hel')))
    const second = mockModel('second', says('Yes'))
    const { error } = await ask([first, second], { onEvent })
    expect(error).toMatchObject({ message: 'no room' })
    expect(first.doStreamCalls[0]?.abortSignal?.aborted).toBe(true)
    expect(second.doStreamCalls).toHaveLength(0)
  })
})

describe('the console', () => {
  const warning = { type: 'other', message: 'This is odd.' } as const
  const warns: Part[] = [{ type: 'stream-start', warnings: [warning] }, ...says('Yes').slice(1)]

  afterEach(() => {
    globalThis.AI_SDK_LOG_WARNINGS = undefined
  })

  it('stays empty when a provider warns', async () => {
    expect((await ask(mockModel('m', warns))).reply?.text).toBe('Yes')
    expect(globalThis.AI_SDK_LOG_WARNINGS).toBeUndefined()
  })

  it('stays empty with a model of the old interface', async () => {
    const old = {
      specificationVersion: 'v2',
      provider: 'mock',
      modelId: 'old',
      supportedUrls: {},
      doStream: async () => ({
        stream: new ReadableStream({
          start(stream) {
            stream.enqueue({ type: 'stream-start', warnings: [warning] })
            stream.enqueue({ type: 'text-start', id: '1' })
            stream.enqueue({ type: 'text-delta', id: '1', delta: 'Yes' })
            stream.enqueue({ type: 'text-end', id: '1' })
            stream.enqueue({
              type: 'finish',
              finishReason: 'unknown',
              usage: { inputTokens: 1, outputTokens: 2 },
            })
            stream.close()
          },
        }),
      }),
    } as unknown as LanguageModel
    expect((await ask(old)).reply).toMatchObject({ text: 'Yes', finishReason: 'other' })
    expect(globalThis.AI_SDK_LOG_WARNINGS).toBeUndefined()
  })

  it('is the program\u2019s own matter: its logger still gets the warnings', async () => {
    const logger = vi.fn()
    globalThis.AI_SDK_LOG_WARNINGS = logger
    await ask(mockModel('m', warns))
    expect(logger).toHaveBeenCalledWith(expect.objectContaining({ warnings: [warning] }))
  })
})

describe('a client', () => {
  it('finds a model by its id where the program has a provider', async () => {
    const languageModel = vi.fn(() => mockModel('by-id', says('Yes')))
    globalThis.AI_SDK_DEFAULT_PROVIDER = { specificationVersion: 'v4', languageModel } as never
    try {
      expect((await ask('some/model')).reply).toMatchObject({ text: 'Yes', modelId: 'some/model' })
    } finally {
      globalThis.AI_SDK_DEFAULT_PROVIDER = undefined
    }
    expect(languageModel).toHaveBeenCalledWith('some/model')
  })

  it('answers many at the same time without mixing them', async () => {
    const model = mockModel('m', async ({ prompt }) => {
      const last = prompt.at(-1)
      const text = last?.role === 'user' && last.content[0]?.type === 'text' ? last.content[0].text : ''
      return new ReadableStream<Part>({
        start(stream) {
          for (const part of says(...text)) stream.enqueue(part)
          stream.close()
        },
      })
    })
    const client = new ModelClient({ model })
    const words = Array.from({ length: 20 }, (_, index) => `word ${index}`)
    const replies = await Promise.all(
      words.map((content) => client.ask({ messages: [{ role: 'user', content }] })),
    )
    expect(replies.map(({ text }) => text)).toEqual(words)
  })
})
