// @module-tag all

import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ConversableAgent } from '../../src/conversable-agent/conversable-agent.ts'
import type { ModelEvent } from '../../src/event.ts'
import { answering } from '../../src/message/messages.fixture.ts'
import { ModelClient, type ModelClientOptions } from '../../src/model/model-client.ts'
import type { ModelRequest } from '../../src/model/model-request.ts'
import { answers, chunk, fails, ModelServer, type ServerAnswer, sends } from './model-server.ts'
import { unwantedEffectsOf } from './unwanted-effects.fixture.ts'

const messages = [{ role: 'user', content: 'hello' }] as const
const tools = { weather: { description: 'Tells the weather.', inputSchema: z.object({ city: z.string() }) } }
const hello = answers({ texts: ['Hel', 'lo'] })
const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }

const servers: ModelServer[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server[Symbol.asyncDispose]()))
})

async function serve(...scripts: ServerAnswer[]): Promise<ModelServer> {
  const server = await ModelServer.start(...scripts)
  servers.push(server)
  return server
}

async function ask(
  model: ModelClientOptions['model'],
  {
    modelOptions = { maxRetries: 0 },
    signal,
    ...request
  }: Partial<ModelRequest> & { modelOptions?: ModelClientOptions['modelOptions']; signal?: AbortSignal } = {},
) {
  const events: ModelEvent[] = []
  const client = new ModelClient({ model, modelOptions })
  let outcome: { reply?: Awaited<ReturnType<ModelClient['ask']>>; error?: unknown } = {}
  const effects = await unwantedEffectsOf(async () => {
    outcome = await client
      .ask({ messages, ...request }, { signal, onEvent: (event) => void events.push(event) })
      .then(
        (reply) => ({ reply }),
        (error: unknown) => ({ error }),
      )
  })
  expect(effects).toEqual([])
  return { events, ...outcome }
}

describe('an OpenAI-compatible server', () => {
  it('streams an answer', async () => {
    const server = await serve(answers({ reasoning: ['Hm.'], texts: ['Hel', 'lo'] }))
    const { events, reply } = await ask(server.model('first'), {
      instructions: 'Be kind.',
      modelOptions: { temperature: 0, headers: { 'x-team': 'a' } },
    })
    expect(reply).toEqual({
      text: 'Hello',
      toolCalls: [],
      content: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'Hello' },
      ],
      modelId: 'first',
      finishReason: 'stop',
    })
    expect(events).toEqual([
      { type: 'reasoning-delta', text: 'Hm.' },
      { type: 'text-delta', text: 'Hel' },
      { type: 'text-delta', text: 'lo' },
      { type: 'usage', modelId: 'first', usage },
    ])
    expect(server.requests).toHaveLength(1)
    expect(server.requests[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer no-secret', 'x-team': 'a' },
      body: {
        model: 'first',
        stream: true,
        temperature: 0,
        messages: [
          { role: 'system', content: 'Be kind.' },
          { role: 'user', content: 'hello' },
        ],
      },
    })
  })

  it('asks for calls, and gets the answers back', async () => {
    const server = await serve(
      answers({
        texts: ['Let me see.'],
        calls: [
          { id: 'a', name: 'weather', pieces: ['{"ci', 'ty":', '"Bonn"}'] },
          { id: 'b', name: 'weather', pieces: ['{"city":"Köln"}'] },
        ],
      }),
      hello,
    )
    const { reply } = await ask(server.model('first'), { tools })
    expect(reply).toMatchObject({ text: 'Let me see.', finishReason: 'tool-calls' })
    expect(reply?.toolCalls).toEqual([
      { id: 'a', name: 'weather', input: { city: 'Bonn' } },
      { id: 'b', name: 'weather', input: { city: 'Köln' } },
    ])
    const { content = '' } = reply ?? {}
    await ask(server.model('first'), {
      tools,
      messages: [
        ...messages,
        { role: 'assistant', content },
        answering({ toolCallId: 'a', name: 'weather', content: 'sun' }),
      ],
    })
    expect(server.requests[1]?.body.messages).toEqual([
      { role: 'user', content: 'hello' },
      {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Bonn"}' } },
          { id: 'b', type: 'function', function: { name: 'weather', arguments: '{"city":"Köln"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'sun' },
      { role: 'tool', tool_call_id: 'b', content: 'This call was not run.' },
    ])
  })

  it.each([
    ['no JSON', '{"city": Bonn', 'The arguments are not JSON'],
    ['other arguments', '{"town":"Bonn"}', 'The arguments do not fit: city: '],
  ])('that calls with %s gets to know it', async (_, input, reason) => {
    const server = await serve(answers({ calls: [{ id: 'a', name: 'weather', pieces: [input] }] }), hello)
    const own = { weather: { ...tools.weather, execute: () => 'sun' } }
    const agent = new ConversableAgent({ name: 'agent', model: server.model('first'), tools: own })
    await agent.generateReply({ messages })
    expect(server.requests[1]?.body).toMatchObject({
      messages: expect.arrayContaining([
        { role: 'tool', tool_call_id: 'a', content: expect.stringContaining(reason) },
      ]),
    })
  })

  it('that calls with raw line breaks is understood', async () => {
    const server = await serve(
      answers({ calls: [{ id: 'a', name: 'weather', pieces: ['{"city":"Bo\nnn"}'] }] }),
    )
    const { reply } = await ask(server.model('first'), { tools })
    expect(reply?.toolCalls).toEqual([{ id: 'a', name: 'weather', input: { city: 'Bo\nnn' } }])
  })

  it('may say nothing', async () => {
    const server = await serve(answers({ usage: null }))
    const { events, reply } = await ask(server.model('first'))
    expect(reply).toEqual({ text: '', content: '', toolCalls: [], modelId: 'first', finishReason: 'stop' })
    expect(events).toEqual([
      { type: 'usage', modelId: 'first', usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 } },
    ])
  })

  it.each(['0', '1'])('that is busy for %s s is asked again', async (seconds) => {
    const server = await serve(fails(429, 'slow down', { 'retry-after': seconds }), hello)
    const { reply } = await ask(server.model('first'), { modelOptions: { maxRetries: 1 } })
    expect(reply?.text).toBe('Hello')
    expect(server.requests).toHaveLength(2)
  })

  it('that stays busy is followed by the next', async () => {
    const server = await serve(fails(429, 'slow down', { 'retry-after': '0' }))
    const other = await serve(hello)
    const { events, reply } = await ask([server.model('first'), other.model('second')], {
      modelOptions: { maxRetries: 2 },
    })
    expect(reply).toMatchObject({ text: 'Hello', modelId: 'second' })
    expect(server.requests).toHaveLength(3)
    expect(events[0]).toEqual({
      type: 'model-fallback',
      modelId: 'first',
      nextModelId: 'second',
      message: 'HTTP 429: slow down (3 tries)',
    })
  })

  const half = [chunk({ role: 'assistant' }), chunk({ content: 'Hel' })]
  const failures: readonly (readonly [name: string, answer: ServerAnswer, data: object])[] = [
    [
      'HTTP 500',
      fails(500, 'The server is on fire.'),
      { statusCode: '500', reason: 'The server is on fire.' },
    ],
    [
      'HTTP 401',
      fails(401, 'Incorrect API key provided: no-secret'),
      { statusCode: '401', reason: expect.stringContaining('[redacted]') },
    ],
    ['a broken connection', sends(half, { ending: 'break' }), {}],
    ['an end in the middle', sends(half), {}],
    ['garbage in the stream', sends([...half, '{"choices": [{'], { ending: 'wait' }), {}],
    ['something else in the stream', sends([...half, { choices: 'none' }, '[DONE]']), {}],
    [
      'an error in the stream',
      sends([...half, { error: { message: 'overloaded', code: 503 } }]),
      { statusCode: '503', reason: 'overloaded' },
    ],
    ['a page instead of a stream', (response) => void response.end('<html></html>'), {}],
    ['no answer at all', (response) => void response.destroy(), {}],
  ]

  it('that fails is followed by the next', ({ everyRow }) =>
    everyRow(failures, async (_, script) => {
      const server = await serve(script)
      const other = await serve(hello)
      const { events, reply } = await ask([server.model('first'), other.model('second')])
      expect(reply).toMatchObject({ text: 'Hello', modelId: 'second' })
      expect(events).toContainEqual(expect.objectContaining({ type: 'model-fallback', modelId: 'first' }))
    }))

  it('that fails is an error with the reason', ({ everyRow }) =>
    everyRow(failures, async (_, script, data) => {
      const { error } = await ask((await serve(script)).model('first'))
      const reason = expect.stringMatching(/./)
      expect(error).toMatchObject({
        code: 'MODEL_FAILED',
        data: { model: 'first (loopback.chat)', reason, ...data },
      })
      expect((error as Error).message).not.toContain('no-secret')
    }))

  it('that is not there is told as such', async () => {
    const server = await serve()
    const model = server.model('first')
    await server[Symbol.asyncDispose]()
    const { error } = await ask(model)
    expect(error).toMatchObject({
      code: 'MODEL_FAILED',
      data: { model: 'first (loopback.chat)', reason: expect.stringContaining('ECONNREFUSED') },
    })
  })

  it('that filters the answer refuses', async () => {
    const server = await serve(answers({ texts: ['I will'], finishReason: 'content_filter' }))
    const other = await serve(hello)
    const { error } = await ask([server.model('first'), other.model('second')])
    expect(error).toMatchObject({
      code: 'MODEL_REFUSED',
      data: { model: 'first (loopback.chat)', answer: 'I will' },
    })
    expect(other.requests).toHaveLength(0)
  })

  it.each<[string, ServerAnswer]>([
    ['that does not answer', () => {}],
    ['that stops in the middle', sends(half, { ending: 'wait' })],
  ])('%s is left as soon as the caller wants to', async (_, script) => {
    const aborter = new AbortController()
    const reason = new Error('enough')
    let closed: Promise<unknown> = Promise.resolve()
    const server = await serve((response) => {
      closed = new Promise((resolve) => response.on('close', resolve))
      setTimeout(() => aborter.abort(reason), 50)
      return script(response)
    })
    const { error } = await ask(server.model('first'), { signal: aborter.signal })
    expect(error).toBe(reason)
    await closed
  })

  it('that takes too long is followed by the next', async () => {
    const slow = await serve(sends(half, { ending: 'wait' }))
    const { reply } = await ask([slow.model('first'), (await serve(hello)).model('second')], {
      modelOptions: { maxRetries: 0, timeout: 2_000 },
    })
    expect(reply?.modelId).toBe('second')
  })

  it('without structured output gives an object all the same', async () => {
    const server = await serve(
      fails(400, 'response_format is not supported'),
      answers({ texts: ['Sure: {"city":', '"Bonn"}'] }),
    )
    const client = new ModelClient({ model: server.model('first') })
    const { object } = await client.askObject({ messages, schema: tools.weather.inputSchema })
    expect(object).toEqual({ city: 'Bonn' })
    expect(server.requests[1]?.body.response_format).toBeUndefined()
  })
})
