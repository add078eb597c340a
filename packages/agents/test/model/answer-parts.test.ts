import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { historyOf, speaker } from '../../src/agent/agents.fixture.ts'
import { CodeExecutorAgent } from '../../src/code-executor-agent/code-executor-agent.ts'
import type { ConversableAgent } from '../../src/conversable-agent/conversable-agent.ts'
import { AssistantAgent } from '../../src/conversable-agent/presets.ts'
import type { Message } from '../../src/message/message.ts'
import { EchoExecutor, fence } from '../../src/reply/echo-executor.fixture.ts'
import { asChatAgent } from '../../src/team/as-chat-agent.ts'
import { RoundRobinGroupChat } from '../../src/team/round-robin-group-chat.ts'
import { ModelServer, sends } from './model-server.ts'

const add = {
  name: 'add',
  inputSchema: z.object({ a: z.int(), b: z.int() }),
  execute: ({ a, b }: { a: number; b: number }) => String(a + b),
}

/** What Claude thinks, says and calls, as blocks of its Messages API. */
const thinking = { type: 'thinking', thinking: 'A sum.', signature: 'signed by Anthropic' }
const text = { type: 'text', text: 'I add them.' }
const toolUse = { type: 'tool_use', id: 'call_1', name: 'add', input: { a: 1, b: 2 } }

type Block = typeof thinking | typeof text | typeof toolUse

function claudeSays(...blocks: readonly Block[]) {
  const usage = { input_tokens: 10, output_tokens: 5 }
  const stop_reason = blocks.includes(toolUse) ? 'tool_use' : 'end_turn'
  return sends([
    {
      type: 'message_start',
      message: { type: 'message', id: 'm', role: 'assistant', model: 'claude', content: [], usage },
    },
    ...blocks.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: { ...block, ...emptied(block) } },
      ...deltas(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ])
}

function emptied({ type }: Block): object {
  if (type === 'thinking') return { thinking: '', signature: '' }
  return type === 'text' ? { text: '' } : { input: {} }
}

function deltas(block: Block): object[] {
  if ('input' in block) return [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }]
  if ('text' in block) return [{ type: 'text_delta', text: block.text }]
  const { thinking, signature } = block
  return [
    { type: 'thinking_delta', thinking },
    { type: 'signature_delta', signature },
  ]
}

const claude = (server: ModelServer) =>
  createAnthropic({ baseURL: server.baseUrl, apiKey: 'no-secret' })('claude-sonnet-4-5')

/** What Gemini thinks and calls, as parts of its API. */
const thought = { text: 'A sum.', thought: true }
const functionCall = {
  functionCall: { name: 'add', args: { a: 1, b: 2 } },
  thoughtSignature: 'signed by Google',
}

const geminiSays = (...parts: readonly object[]) =>
  sends([{ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }])

const gemini = (server: ModelServer) =>
  createGoogleGenerativeAI({ baseURL: server.baseUrl, apiKey: 'no-secret' })('gemini-3-pro-preview')

/** The messages of a request, by their roles. */
const askedBy = (server: ModelServer, request: number, role: string) => {
  const { messages, contents } = server.requests[request]?.body ?? {}
  const all = (messages ?? contents) as { role: string; content?: unknown; parts?: unknown }[]
  return all.filter((message) => message.role === role).map(({ content, parts }) => content ?? parts)
}

function withTool<Agent extends ConversableAgent>(agent: Agent): Agent {
  agent.registerForModel(add)
  return agent
}

describe('what a provider has signed', () => {
  it('goes back to Claude as it came, with the answer of the tool', async () => {
    await using server = await ModelServer.start(
      claudeSays(thinking, text, toolUse),
      claudeSays({ ...text, text: 'It is 3.\nTERMINATE' }),
    )
    const assistant = withTool(new AssistantAgent({ name: 'assistant', model: claude(server) }))
    const user = speaker('user')
    user.registerForExecution(add)
    await user.initiateChat(assistant, { message: '1 + 2?' })
    expect(askedBy(server, 1, 'assistant')).toEqual([[thinking, text, toolUse]])
    // Another agent has no use for it.
    const haveParts = (messages: readonly Message[]) =>
      messages.map(({ content }) => /reasoning|providerOptions/.test(JSON.stringify(content)))
    expect(haveParts(historyOf(assistant, user))).toEqual([false, true, false, true])
    expect(haveParts(historyOf(user, assistant))).toEqual([false, false, false, false])
  })

  it('goes back to Gemini 3 as it came, with the answer of the tool', async () => {
    await using server = await ModelServer.start(
      geminiSays(thought, functionCall),
      geminiSays({ text: 'It is 3.\nTERMINATE' }),
    )
    const assistant = withTool(new AssistantAgent({ name: 'assistant', model: gemini(server) }))
    const user = speaker('user')
    user.registerForExecution(add)
    await user.initiateChat(assistant, { message: '1 + 2?' })
    expect(askedBy(server, 1, 'model')).toMatchObject([[thought, functionCall]])
  })

  it('survives a team that is saved, and goes on elsewhere', async () => {
    const others = () => [asChatAgent(speaker('other', ['Go on.', 'Go on.']))]
    const agent = (server: ModelServer) => {
      const member = withTool(new AssistantAgent({ name: 'assistant', model: claude(server) }))
      member.registerForExecution(add)
      return new RoundRobinGroupChat({ participants: [asChatAgent(member), ...others()], maxTurns: 1 })
    }
    await using first = await ModelServer.start(
      claudeSays(thinking, text, toolUse),
      claudeSays({ ...text, text: 'It is 3.' }),
    )
    const team = agent(first)
    await team.run('1 + 2?')
    await using second = await ModelServer.start(claudeSays({ ...text, text: 'Still 3.' }))
    const again = agent(second)
    await again.loadState(JSON.parse(JSON.stringify(await team.saveState())))
    await again.run()
    await again.run('Is it?')
    expect(askedBy(second, 0, 'assistant')[0]).toEqual([thinking, text, toolUse])
  })

  it('goes back where an agent writes another program', async () => {
    const program = { ...text, text: `I run it.\n${fence('python', 'fail')}` }
    await using server = await ModelServer.start(
      claudeSays(thinking, program),
      claudeSays({ ...text, text: '{"reason": "a typo", "retry": true}' }),
      claudeSays({ ...text, text: 'It cannot be done.' }),
    )
    const executor = new EchoExecutor()
    const agent = new CodeExecutorAgent({
      name: 'coder',
      executor,
      model: claude(server),
      maxRetriesOnError: 1,
    })
    await agent.run('Go.')
    expect(askedBy(server, 2, 'assistant')).toEqual([[thinking, program]])
  })

  it('is left out where a hook has changed what was said', async () => {
    await using server = await ModelServer.start(
      claudeSays(thinking, text),
      claudeSays({ ...text, text: 'TERMINATE' }),
    )
    const assistant = new AssistantAgent({ name: 'assistant', model: claude(server) })
    assistant.registerHook('processMessageBeforeSend', (message) => ({ ...message, content: 'Changed.' }))
    await speaker('user', ['Go on.']).initiateChat(assistant, { message: 'Hi.' })
    expect(askedBy(server, 1, 'assistant')).toEqual([[{ type: 'text', text: 'Changed.' }]])
  })
})
