import { shareReplay } from '@fenced/core'
import { readUIMessageStream, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { speaker } from '../agent/agents.fixture.ts'
import { CodeExecutorAgent } from '../code-executor-agent/code-executor-agent.ts'
import { AssistantAgent, UserProxyAgent } from '../conversable-agent/presets.ts'
import { createEvent } from '../event.ts'
import { hangs, mockModel } from '../model/mock-model.fixture.ts'
import { EchoExecutor, fence, picture } from '../reply/echo-executor.fixture.ts'
import { asChatAgent } from '../team/as-chat-agent.ts'
import { RoundRobinGroupChat } from '../team/round-robin-group-chat.ts'
import { ScriptedModel } from '../testing/scripted-model.ts'
import { type ToUIMessageStreamOptions, toUIMessageStream } from './to-ui-message-stream.ts'
import type { AgentUIMessage } from './ui-message.ts'

type Run = Parameters<typeof toUIMessageStream>[0]
type Part = AgentUIMessage['parts'][number]

/** The message that a page shows at the end, and the last piece of the stream. */
async function shown(run: Run, options?: ToUIMessageStreamOptions) {
  const [first, second] = toUIMessageStream(run, options).tee()
  const chunks: { readonly type: string }[] = []
  let message: AgentUIMessage | undefined
  const reading = (async () => {
    for await (const state of readUIMessageStream<AgentUIMessage>({ stream: first })) message = state
  })()
  for await (const chunk of second) chunks.push(chunk)
  await reading
  const parts = message?.parts ?? []
  const ofType = <Type extends Part['type']>(type: Type) =>
    parts.filter((part): part is Extract<Part, { type: Type }> => part.type === type)
  return { parts, ofType, last: chunks.at(-1)?.type, chunks, metadata: message?.metadata }
}

const executor = () => new EchoExecutor()
const allow = { code: () => 'allow' as const }
const silent = () => asChatAgent(new AssistantAgent({ name: 'silent', model: mockModel('silent', hangs) }))

describe('the UI message of a run', () => {
  it('has the text, the program with its output, and the usage of an agent', async () => {
    const model = new ScriptedModel([fence('python', 'echo'), 'It is done.'])
    const coder = new CodeExecutorAgent({ name: 'coder', executor: executor(), model })
    const { ofType, last, metadata } = await shown(coder.run('Do it.'))
    expect(ofType('text').map(({ text, state }) => [text, state])).toEqual([
      [fence('python', 'echo'), 'done'],
      ['It is done.', 'done'],
    ])
    const [code] = ofType('data-code')
    expect(code?.data).toMatchObject({ agent: 'coder', language: 'python', status: 'ok', exitCode: 0 })
    expect(ofType('data-output').map(({ data }) => data)).toEqual([{ blockId: code?.id, text: 'echo\n' }])
    expect(ofType('data-agent').map(({ data }) => data.name)).toEqual(['coder'])
    expect(last).toBe('finish')
    expect(metadata?.usage).toHaveProperty('totalTokens')
  })

  it('names the members of a nested team, and shows a text that was not streamed once', async () => {
    const inner = new RoundRobinGroupChat({
      name: 'inner',
      participants: [asChatAgent(speaker('one', ['From one.'])), asChatAgent(speaker('two', ['From two.']))],
      maxTurns: 2,
    })
    const { parts, metadata } = await shown(
      new RoundRobinGroupChat({ participants: [inner], maxTurns: 1 }).run('Go.'),
    )
    expect(parts).toMatchObject([
      { type: 'data-agent', data: { name: 'one' } },
      { type: 'text', text: 'From one.' },
      { type: 'data-agent', data: { name: 'two' } },
      { type: 'text', text: 'From two.' },
    ])
    expect(metadata?.stopReason).toContain('1')
  })

  it('has a conversation with its pictures and failures', async () => {
    const model = new ScriptedModel([fence('python', 'plot'), fence('python', 'fail'), 'TERMINATE'])
    const writer = new AssistantAgent({ name: 'writer', model })
    const user = new UserProxyAgent({
      name: 'user',
      humanInputMode: 'never',
      codeExecutionConfig: { executor: executor() },
    })
    const { ofType, last } = await shown(user.initiateChat(writer, { message: 'Plot.' }))
    expect(ofType('data-picture').map(({ data }) => data)).toMatchObject([
      { mediaType: 'image/png', url: `data:image/png;base64,${picture}` },
    ])
    expect(ofType('data-code').map(({ data }) => [data.agent, data.status])).toEqual([
      ['user', 'ok'],
      ['user', 'error'],
    ])
    expect(ofType('data-output').at(-1)?.data.text).toContain('it went wrong')
    expect(ofType('text').map(({ text }) => text)).toEqual([
      fence('python', 'plot'),
      fence('python', 'fail'),
      'TERMINATE',
    ])
    expect(last).toBe('finish')
  })

  it('shows a question from its request to its answer', async () => {
    const model = new ScriptedModel([fence('python', 'echo'), 'Denied.'])
    const ask = { code: () => ({ decision: 'deny' as const, reason: 'no' }) }
    const coder = new CodeExecutorAgent({ name: 'coder', executor: executor(), model, ask })
    const { ofType, chunks } = await shown(coder.run('Do it.'))
    const [question] = ofType('data-question')
    expect(question?.data).toMatchObject({ agent: 'coder', state: 'answered', decision: 'deny' })
    expect(question?.id).toBe(question?.data.request.id)
    expect(chunks.filter(({ type }) => type === 'data-question').length).toBe(2)
    expect(ofType('data-code')).toEqual([])
  })

  it('has the calls of tools, each with an id of its own where a model repeats its ids', async () => {
    const call = (city: string) => ({ toolCalls: [{ id: 'call_0', name: 'weather', input: { city } }] })
    const model = new ScriptedModel([call('Rome'), call('Oslo'), 'Done.'])
    const weather = tool({
      description: 'The weather.',
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }) => {
        if (city === 'Oslo') throw new Error('no data')
        return 'sunny'
      },
    })
    const coder = new CodeExecutorAgent({ name: 'coder', executor: executor(), model, tools: { weather } })
    const { ofType } = await shown(coder.run('How is the weather?'))
    expect(ofType('dynamic-tool')).toMatchObject([
      { toolName: 'weather', state: 'output-available', input: { city: 'Rome' }, output: 'sunny' },
      { toolName: 'weather', state: 'output-error', errorText: expect.stringContaining('no data') },
    ])
  })
})

describe('the end of the stream', () => {
  it.each([
    ['a task', () => new RoundRobinGroupChat({ participants: [silent()] }).run('Go.')],
    [
      'a conversation',
      () =>
        speaker('user').initiateChat(new AssistantAgent({ name: 'silent', model: mockModel('m', hangs) }), {
          message: 'Go.',
        }),
    ],
    ['an answer', () => silent().onMessages([])],
  ])('is `abort` where %s was cancelled', async (_, begin) => {
    const run = begin()
    const reading = shown(run)
    await run.cancel()
    expect((await reading).last).toBe('abort')
  })

  it('is `error` where the run failed, without the reason unless `onError` gives it', async () => {
    const failing = () =>
      new CodeExecutorAgent({
        name: 'coder',
        executor: executor(),
        model: mockModel('m', new Error('key-123')),
      })
    const hidden = await shown(failing().run('Go.'))
    expect(hidden.last).toBe('error')
    expect(JSON.stringify(hidden.chunks)).not.toContain('key-123')
    const { chunks } = await shown(failing().run('Go.'), { onError: String })
    expect(JSON.stringify(chunks)).toContain('key-123')
  })

  it('withdraws an open question and cancels a running block', async () => {
    const model = new ScriptedModel([fence('python', 'hang')])
    const coder = new CodeExecutorAgent({ name: 'coder', executor: executor(), model, ask: allow })
    const run = coder.run('Hang.')
    const shared = shareReplay(run)
    const reading = shown(shared)
    for await (const event of shared) if (event.type === 'code') break
    await shared.cancel()
    const { ofType, last } = await reading
    expect(last).toBe('abort')
    expect(ofType('data-code').map(({ data }) => data.status)).toEqual(['cancelled'])
  })

  it('leaves a question open where the run waits for its answer', async () => {
    const request = { kind: 'code', id: 'q', question: 'May it run?', blocks: [] } as never
    const event = createEvent({ type: 'approval-requested', agent: 'coder', request, choices: [] })
    const events = async function* () {
      yield event
    }
    const run = Object.assign(Promise.resolve({ status: 'waiting' }), { [Symbol.asyncIterator]: events })
    const { ofType, last } = await shown(run)
    expect(last).toBe('finish')
    expect(ofType('data-question').map(({ data }) => data.state)).toEqual(['open'])
  })

  it('cancels the run where the reader leaves, unless others read it', async () => {
    const run = new RoundRobinGroupChat({ participants: [silent()] }).run('Go.')
    await toUIMessageStream(run).cancel()
    expect((await run).status).toBe('cancelled')
    const shared = shareReplay(new RoundRobinGroupChat({ participants: [silent()] }).run('Go.'))
    await toUIMessageStream(shared).cancel()
    const reading = shown(shared)
    await shared.cancel()
    expect((await reading).last).toBe('abort')
  })

  it('gives the whole message to `onEnd`', async () => {
    const ended = Promise.withResolvers<AgentUIMessage>()
    const model = new ScriptedModel(['Hello.'])
    const coder = new CodeExecutorAgent({ name: 'coder', executor: executor(), model })
    await shown(coder.run('Hi.'), {
      originalMessages: [],
      onEnd: ({ responseMessage }) => ended.resolve(responseMessage),
    })
    expect(await ended.promise).toMatchObject({ parts: [{}, { type: 'text', text: 'Hello.' }] })
  })

  it('is read once', () => {
    const run = new CodeExecutorAgent({ name: 'coder', executor: executor() }).run('Hi.')
    toUIMessageStream(run)
    expect(() => toUIMessageStream(run)).toThrow(expect.objectContaining({ code: 'EVENTS_ITERATED_TWICE' }))
  })
})
