import { once } from 'node:events'
import { z } from '@fenced/core/zod'
import { describe, expect, it } from 'vitest'
import { contentsOf, eventsOf, eventsOfType, historyOf, speaker, typesOf } from '../agent/agents.fixture.ts'
import { registerFunction } from '../agent/registered-functions.ts'
import { AssistantAgent } from '../conversable-agent/presets.ts'
import { answering, asking } from '../message/messages.fixture.ts'
import { toolResponsesOf } from '../message/tool-parts.ts'
import { calls as calling, mockModel, says } from '../model/mock-model.fixture.ts'
import { type ScriptedAnswer, ScriptedModel } from '../testing/scripted-model.ts'
import type { AgentTool } from './agent-tool.ts'

const numbers = z.object({ a: z.number(), b: z.number() })
const add = {
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: numbers,
  execute: ({ a, b }: z.output<typeof numbers>) => a + b,
}
const calls = (...toolCalls: [name: string, input: unknown][]): ScriptedAnswer => ({
  toolCalls: toolCalls.map(([name, input]) => ({ name, input })),
})

type NumberTool = AgentTool<z.output<typeof numbers>, unknown>

/** A model that asks for tools, and somebody who calls them. */
function pair(tools: readonly NumberTool[], script: readonly ScriptedAnswer[]) {
  const model = new ScriptedModel(script)
  const caller = new AssistantAgent({ name: 'caller', model })
  const executor = speaker('executor')
  for (const tool of tools) registerFunction(tool, { caller, executor })
  return { model, caller, executor, chat: () => executor.initiateChat(caller, { message: 'begin' }) }
}

describe('a conversation with tools', () => {
  it('has the call, its answer and what the model makes of it', async () => {
    const { chat, model } = pair([add], [calls(['add', { a: 1, b: 2 }]), 'It is 3.'])
    const { messages, summary } = await chat()
    expect(messages).toMatchObject([
      { role: 'assistant', content: 'begin', source: 'executor' },
      { ...asking('', { id: 'call-1-1', name: 'add', input: { a: 1, b: 2 } }), source: 'caller' },
      { ...answering({ toolCallId: 'call-1-1', name: 'add', content: '3' }), source: 'executor' },
      { role: 'user', content: 'It is 3.', source: 'caller' },
    ])
    expect(summary).toBe('It is 3.')
    expect(model.prompts[1]?.at(-1)).toMatchObject({ role: 'tool', content: [{ toolName: 'add' }] })
  })

  it('gives a provider back what it sent with a call, also after the conversation was JSON', async () => {
    const signature = { google: { thoughtSignature: 'c2lnbmVk' } }
    const call = calling({ name: 'add', input: '{"a":1,"b":2}' })
    const signed = call.map((part) =>
      part.type === 'tool-call' ? { ...part, providerMetadata: signature } : part,
    )
    const model = mockModel('m', signed, says('It is 3.'), says('As I said.'))
    const caller = new AssistantAgent({ name: 'caller', model })
    const executor = speaker('executor')
    registerFunction(add, { caller, executor })
    await executor.initiateChat(caller, { message: 'begin' })
    const sent = () => JSON.stringify(model.doStreamCalls.at(-1)?.prompt)
    expect(historyOf(caller, executor)[1]?.content).toMatchObject([
      {
        type: 'tool-call',
        toolCallId: 'call-1',
        toolName: 'add',
        input: { a: 1, b: 2 },
        providerOptions: signature,
      },
    ])
    expect(sent()).toContain('"providerOptions":{"google":{"thoughtSignature":"c2lnbmVk"}}')
    await caller.generateReply({ messages: JSON.parse(JSON.stringify(historyOf(caller, executor))) })
    expect(model.doStreamCalls).toHaveLength(3)
    expect(sent()).toContain('c2lnbmVk')
  })

  it('makes all calls of one message, also those that cannot be made, and answers in their order', async () => {
    const failing = {
      ...add,
      name: 'fail',
      execute: () => {
        throw new Error('out of order')
      },
    }
    const { chat, executor } = pair(
      [add, failing],
      [
        calls(
          ['add', { a: 1, b: 2 }],
          ['fail', { a: 1, b: 2 }],
          ['add', { a: 'x', b: 2 }],
          ['unknown', {}],
          ['add', '{"a": 1, '],
          ['add', { a: 5, b: 5 }],
        ),
        'I see.',
      ],
    )
    executor.unregisterTool('nothing')
    const { messages } = await chat()
    const responses = messages.slice(2, 3).flatMap(toolResponsesOf)
    expect(responses.map(({ toolCallId }) => toolCallId)).toEqual(
      [1, 2, 3, 4, 5, 6].map((n) => `call-1-${n}`),
    )
    expect(responses.map(({ isError = false }) => isError)).toEqual([false, true, true, true, true, false])
    expect(responses.map(({ content }) => content)).toEqual([
      '3',
      'Error: out of order',
      expect.stringContaining('expected number'),
      'Error: Function unknown not found.',
      expect.stringContaining('not JSON'),
      '10',
    ])
    expect(contentsOf(messages)[2]).toBe(responses.map(({ content }) => content).join('\n\n'))
    expect(messages[3]?.content).toBe('I see.')
  })

  it('makes the calls of one message at the same time', async () => {
    const both = Promise.withResolvers<void>()
    const secondEnded = Promise.withResolvers<void>()
    let running = 0
    const together = {
      ...add,
      execute: async ({ a }: { a: number }) => {
        if (++running === 2) both.resolve()
        await both.promise
        // The first call ends last.
        if (a === 20) await secondEnded.promise
        else secondEnded.resolve()
        return a
      },
    }
    const { chat } = pair([together], [calls(['add', { a: 20, b: 0 }], ['add', { a: 0, b: 0 }]), 'ok'])
    expect(contentsOf((await chat()).messages)[2]).toBe('20\n\n0')
  })

  it('tells of calls, and of what they tell before their end', async () => {
    const counting = {
      ...add,
      execute: async function* ({ a }: { a: number }) {
        for (let n = 1; n <= a; n++) yield { n }
      },
    }
    const { chat } = pair([counting], [calls(['add', { a: 3, b: 0 }]), 'ok'])
    const events = (await eventsOf(chat())).filter(({ type }) => type.startsWith('tool-'))
    expect(typesOf(events)).toEqual(['tool-start', 'tool-output', 'tool-output', 'tool-end'])
    expect(eventsOfType(events, 'tool-output').map(({ output }) => output)).toEqual([{ n: 1 }, { n: 2 }])
    expect(eventsOfType(events, 'tool-end')).toMatchObject([
      {
        type: 'tool-end',
        agent: 'executor',
        call: { id: 'call-1-1', name: 'add', input: { a: 3, b: 0 } },
        response: { toolCallId: 'call-1-1', name: 'add', content: '{"n":3}' },
      },
    ])
  })

  it('tells the model only of tools that were registered for it', async () => {
    const model = new ScriptedModel(['I have none.', 'I have none.'])
    const asked: unknown[] = []
    const watched = Object.assign(model, {
      doStream: (options: Parameters<ScriptedModel['doStream']>[0]) => {
        asked.push(
          options.tools?.map((tool) => [tool.name, 'description' in tool ? tool.description : undefined]),
        )
        return ScriptedModel.prototype.doStream.call(model, options)
      },
    })
    const agent = new AssistantAgent({ name: 'agent', model: watched })
    agent.registerForExecution(add)
    await agent.generateReply({ messages: [{ role: 'user', content: 'add' }] })
    registerFunction(add, { caller: agent, executor: agent, name: 'sum', description: 'Sums up.' })
    await agent.generateReply({ messages: [{ role: 'user', content: 'add' }] })
    expect(asked).toEqual([undefined, [['sum', 'Sums up.']]])
  })

  it('goes on when the one who should call a tool has none', async () => {
    const { chat, executor } = pair([add], [calls(['add', { a: 1, b: 2 }]), 'Then not.'])
    executor.unregisterTool('add')
    expect(contentsOf((await chat()).messages)).toEqual([
      'begin',
      '',
      'Error: Function add not found.',
      'Then not.',
    ])
  })

  it('aborts the signal of a tool that runs, and ends', async () => {
    const stop = new AbortController()
    const waiting = {
      ...add,
      execute: async (_: unknown, { abortSignal }: { abortSignal: AbortSignal }) => {
        const aborted = once(abortSignal, 'abort')
        stop.abort()
        await aborted
        throw abortSignal.reason
      },
    }
    const { caller, executor } = pair([waiting], [calls(['add', { a: 1, b: 2 }])])
    const result = await executor.initiateChat(caller, { message: 'begin', signal: stop.signal })
    expect([result.status, result.messages.length]).toEqual(['cancelled', 2])
  })
})
