import { ToolLoopAgent, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { codeOf, endless, eventsOf, eventsOfType, speaker } from '../agent/agents.fixture.ts'
import { CodeExecutorAgent } from '../code-executor-agent/code-executor-agent.ts'
import { AssistantAgent } from '../conversable-agent/presets.ts'
import type { AgentEvent } from '../event.ts'
import { EchoExecutor } from '../reply/echo-executor.fixture.ts'
import { asChatAgent } from '../team/as-chat-agent.ts'
import { ScriptedModel } from '../testing/scripted-model.ts'
import { BufferedChatCompletionContext } from './contexts.ts'
import { assistant as said, user } from './messages.fixture.ts'

const history = Array.from({ length: 450 }, (_, turn) =>
  turn % 2 === 0 ? user(`message ${turn}.`) : said(`message ${turn}.`),
)
const calls = { toolCalls: [{ name: 'look', input: {} }] }
const repeating = () => new ScriptedModel(() => 'I see.')

/** The numbers of the messages in the last request to a model. */
const readBy = (model: ScriptedModel): number[] =>
  [...JSON.stringify(model.prompts.at(-1)).matchAll(/message (\d+)\./g)].map(([, turn]) => Number(turn))

const leftOut = (events: readonly AgentEvent[]) =>
  eventsOfType(events, 'notice').flatMap(({ notice }) =>
    notice.code === 'messages-left-out' ? [notice.data] : [],
  )

describe('a model reads the first message and the newest 399 of a long conversation', () => {
  const expected = [0, ...Array.from({ length: 399 }, (_, position) => 51 + position)]

  it('of a conversable agent, which says so', async () => {
    const model = repeating()
    const agent = new AssistantAgent({ name: 'assistant', model })
    const events = await eventsOf(agent.generateReply({ messages: history }))
    expect(readBy(model)).toEqual(expected)
    expect(leftOut(events)).toEqual([{ count: '50', messages: '450' }])
  })

  it('of an AI SDK agent, never between a call, its approval and its result', async () => {
    const model = new ScriptedModel((call) => (call === 0 ? calls : 'I see.'))
    const inputSchema = z.object({})
    const look = tool({ inputSchema, needsApproval: true, execute: () => 'nothing' })
    const ask = () => ({ decision: 'allow' }) as const
    const agent = asChatAgent(new ToolLoopAgent({ id: 'helper', model, tools: { look } }), {
      ...{ ask: { tool: ask }, modelContext: new BufferedChatCompletionContext({ bufferSize: 6 }) },
    })
    await agent.run('Look.')
    const roles: string[][] = []
    const counts: number[] = []
    for (const task of ['one', 'two', 'three']) {
      counts.push(leftOut((await agent.run(task)).events).length)
      roles.push((model.prompts.at(-1) ?? []).map(({ role }) => role))
    }
    const whole = ['user', 'assistant', 'tool', 'assistant', 'user']
    expect(roles).toEqual([
      whole,
      ['assistant', 'user', 'assistant', 'user'],
      ['assistant', 'user', 'assistant', 'user', 'assistant', 'user'],
    ])
    expect(counts).toEqual([0, 1, 0])
  })

  it('of a code executor agent, whose result has all of them', async () => {
    const model = repeating()
    const agent = new CodeExecutorAgent({ name: 'coder', model, executor: new EchoExecutor() })
    for (const message of history) await agent.modelContext.add(message)
    const result = await agent.run('message 450.')
    expect(readBy(model)).toEqual([0, ...expected.slice(2), 450])
    expect(leftOut(result.events)).toEqual([{ count: '51', messages: '451' }])
    expect((await agent.modelContext.saveState()).messages).toHaveLength(452)
  })
})

describe('a limit of tokens', () => {
  it('bounds each request of a chat and its summary, with one notice, and no result', async () => {
    const model = repeating()
    const assistant = new AssistantAgent({ name: 'assistant', model, maxInputTokens: 30 })
    const writer = speaker('writer', endless('Go on, and on, and on.'))
    const chat = { message: 'Begin.', maxTurns: 6, summaryMethod: 'reflection_with_llm' } as const
    for (const _ of [1, 2]) {
      const events = await eventsOf(writer.initiateChat(assistant, chat))
      expect(leftOut(events)).toHaveLength(1)
      const [end] = eventsOfType(events, 'chat-end')
      expect(end?.result.messages).toHaveLength(12)
    }
    expect(Math.max(...model.prompts.map((prompt) => prompt.length))).toBeLessThan(6)
  })

  it('is not given together with a model context', async () => {
    const modelContext = new BufferedChatCompletionContext({ bufferSize: 2 })
    const options = { name: 'a', model: repeating(), modelContext, maxInputTokens: 30 }
    expect(await codeOf(() => new AssistantAgent(options))).toBe('INVALID_OPTIONS')
    const executor = new EchoExecutor()
    expect(await codeOf(() => new CodeExecutorAgent({ ...options, executor }))).toBe('INVALID_OPTIONS')
  })
})

describe('a model context', () => {
  it('of a conversable agent keeps calls with their results, and begins with its own messages', async () => {
    const initialMessages = [user('You are in a test.')]
    const modelContext = new BufferedChatCompletionContext({ bufferSize: 3, initialMessages })
    const inputSchema = z.object({})
    const call = { toolCalls: [{ name: 'look', input: {} }] }
    const model = new ScriptedModel([call, call, call, 'Done.'])
    const tools = { look: tool({ inputSchema, execute: () => 'nothing' }) }
    const agent = new AssistantAgent({ name: 'assistant', model, tools, modelContext })
    await agent.generateReply({ messages: [user('Look three times.')] })
    const turns = ['user', 'assistant', 'tool']
    expect(model.prompts.map((prompt) => prompt.map(({ role }) => role).slice(1))).toEqual([
      ['user'],
      turns,
      turns,
      turns,
    ])
    expect(JSON.stringify(model.prompts[0])).toContain('You are in a test.')
  })

  it('of a code executor agent is reported once, until the agent is reset', async () => {
    const modelContext = new BufferedChatCompletionContext({ bufferSize: 2 })
    const executor = new EchoExecutor()
    const agent = new CodeExecutorAgent({ name: 'coder', model: repeating(), executor, modelContext })
    const counts: number[] = []
    for (const task of ['one', 'two', 'three', 'four']) {
      if (task === 'four') await agent.reset()
      counts.push(leftOut((await agent.run(task)).events).length)
    }
    expect(counts).toEqual([0, 1, 0, 0])
  })
})
