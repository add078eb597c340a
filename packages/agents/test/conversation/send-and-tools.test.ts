import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { codeOf, endless, speaker } from '../../src/agent/agents.fixture.ts'
import { initiateChats } from '../../src/chat/chat-queue.ts'
import { CodeExecutorAgent } from '../../src/code-executor-agent/code-executor-agent.ts'
import { createMessage } from '../../src/message/message.ts'
import { asking } from '../../src/message/messages.fixture.ts'
import { EchoExecutor } from '../../src/reply/echo-executor.fixture.ts'
import { ScriptedModel } from '../../src/testing/scripted-model.ts'

describe('a message that is sent', () => {
  it('does not come between the messages of a conversation', async () => {
    const refusals: string[] = []
    const a = speaker('a', endless('more'))
    const b = speaker('b', async () => {
      refusals.push(await codeOf(() => a.send('aside', b)), await codeOf(() => b.send('aside', a)))
      return 'more'
    })
    await a.initiateChat(b, { message: 'Begin.', maxTurns: 2 })
    expect(refusals).toEqual(Array(4).fill('CHAT_IN_PROGRESS'))
    await a.send('afterwards', b, { requestReply: false })
    expect(a.lastMessage(b)?.content).toBe('afterwards')
  })
})

describe('a tool', () => {
  it('gets the conversation that led to its call, as its model had it', async () => {
    let seen: unknown
    const user = speaker('user')
    user.registerForExecution({
      name: 'look',
      inputSchema: z.object({}),
      execute: (_, { messages }) => {
        seen = messages
        return 'seen'
      },
    })
    const calls = [{ id: '1', name: 'look', input: {} }]
    const writer = speaker('writer', ['What?', asking('', ...calls), null])
    await user.send('Begin.', writer, { requestReply: true })
    await user.initiateChat(writer, { message: 'Look.', clearHistory: false })
    expect(seen).toEqual([
      { role: 'user', content: 'Begin.' },
      { role: 'assistant', content: 'What?' },
      { role: 'user', content: 'Look.' },
    ])
  })
})

describe('conversations at the same time', () => {
  it('may be one entry twice', async () => {
    const entry = { sender: speaker('a'), recipient: speaker('b', ['one']), message: 'Begin.', maxTurns: 1 }
    const other = { ...entry, sender: speaker('c'), recipient: speaker('d', ['two']) }
    const results = await initiateChats([other, other].slice(0, 1).concat(entry), { concurrently: true })
    expect(results.map(({ summary }) => summary)).toEqual(['two', 'one'])
    // Two agents have one conversation at a time: the second one of the same two is refused.
    expect(await codeOf(() => initiateChats([entry, entry], { concurrently: true }))).toBe('CHAT_IN_PROGRESS')
  })

  it('fail with the failure that came first', async () => {
    const late = speaker('late', async () => {
      await new Promise((resolve) => setTimeout(resolve, 30))
      throw new Error('late')
    })
    const early = speaker('early', () => Promise.reject(new Error('early')))
    const queue = [late, early].map((recipient) => ({ sender: speaker('a'), recipient, message: 'Begin.' }))
    await expect(initiateChats(queue, { concurrently: true })).rejects.toThrow('early')
  })
})

describe('the model of a CodeExecutorAgent', () => {
  it('reads who has spoken, where several have', async () => {
    const model = new ScriptedModel(['Both agree.', 'Still.'])
    const agent = new CodeExecutorAgent({ name: 'coder', executor: new EchoExecutor(), model })
    const says = (source: string, content: string) =>
      createMessage({ role: 'user', source, origin: 'model', content })
    await agent.onMessages([says('ann', 'One.'), says('bob', 'Two.')])
    expect(JSON.stringify(model.prompts[0]?.at(-1))).toContain('ann:\\nOne.\\n\\nbob:\\nTwo.')
    const alone = new ScriptedModel(['I see.'])
    const other = new CodeExecutorAgent({ name: 'coder', executor: new EchoExecutor(), model: alone })
    await other.onMessages([says('ann', 'One.')])
    expect(JSON.stringify(alone.prompts[0]?.at(-1))).not.toContain('ann')
  })
})
