import { describe, expect, it } from 'vitest'
import { endless, speaker } from '../agent/agents.fixture.ts'
import { initiateChats } from '../chat/chat-queue.ts'
import { CodeExecutorAgent } from '../code-executor-agent/code-executor-agent.ts'
import { AssistantAgent } from '../conversable-agent/presets.ts'
import { createMessage } from '../message/message.ts'
import { hangs, mockModel } from '../model/mock-model.fixture.ts'
import { EchoExecutor } from '../reply/echo-executor.fixture.ts'
import { asChatAgent } from '../team/as-chat-agent.ts'
import { RoundRobinGroupChat } from '../team/round-robin-group-chat.ts'

const model = () => mockModel('silent', hangs)
const silent = () => new AssistantAgent({ name: 'silent', model: model() })
const coder = () => new CodeExecutorAgent({ name: 'coder', executor: new EchoExecutor(), model: model() })
const person = () => speaker('person', endless('Hello?'))
const message = createMessage({ role: 'user', source: 'user', origin: 'person', content: 'Hello?' })
const team = (participant = asChatAgent(silent())) => new RoundRobinGroupChat({ participants: [participant] })

describe('a run that is cancelled', () => {
  it.each([
    ['run of an agent', () => coder().run('Hello?')],
    ['run of a team', () => team().run('Hello?')],
    [
      'run of a nested team',
      () => new RoundRobinGroupChat({ name: 'outer', participants: [team()] }).run('Hello?'),
    ],
    ['initiateChat', () => person().initiateChat(silent(), { message })],
    ['initiateChats', () => initiateChats([{ sender: person(), recipient: silent(), message }])],
  ])('has the status of an aborted signal: %s', async (_, begin) => {
    const run = begin()
    await run.cancel(new Error('enough'))
    expect([await run].flat()).toMatchObject([{ status: 'cancelled' }])
  })

  it.each([
    ['send', () => person().send('Hello?', silent())],
    ['generateReply', () => silent().generateReply({ messages: [message] })],
    ['onMessages', () => coder().onMessages([message])],
  ])('settles as with an aborted signal: %s', async (_, begin) => {
    const run = begin()
    await run.cancel(new Error('enough'))
    await expect(run).rejects.toThrow('enough')
  })

  it('ends the loop of its reader', async () => {
    const run = coder().run('Hello?')
    const types: string[] = []
    for await (const { type } of run) {
      types.push(type)
      if (type === 'message') await run.cancel()
    }
    expect(types.at(-1)).toBe('task-end')
  })

  it('keeps its result where it was over', async () => {
    const run = person().initiateChat(speaker('other'), { message })
    const result = await run
    await run.cancel()
    expect(await run).toBe(result)
    expect(result.status).toBe('done')
  })
})
