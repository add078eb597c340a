import { describe, expect, it } from 'vitest'
import { ConversableAgent } from '../conversable-agent/conversable-agent.ts'
import type { Message } from '../message/message.ts'
import { checkTerminationAndHumanReply } from '../reply/check-termination-and-human-reply.ts'
import type { RegisterReplyOptions, ReplyFunction } from './agent.ts'
import { codeOf, contentsOf, speaker } from './agents.fixture.ts'

const anybody = () => true
const messages = [{ role: 'user' as const, content: 'hello' }]
const says =
  (text: string): ReplyFunction =>
  () => ({ reply: text })

async function replyOf(agent: ConversableAgent, exclude?: readonly ReplyFunction[]) {
  return (await agent.generateReply({ messages, sender: speaker('sender'), exclude }))?.content
}

const quiet = () => new ConversableAgent({ name: 'agent', humanInputMode: 'never' })

describe('the functions of an agent', () => {
  it('are asked in the opposite order of their registration', async () => {
    const agent = quiet()
    agent.registerReply(anybody, says('first'))
    agent.registerReply(anybody, says('second'))
    expect(await replyOf(agent)).toBe('second')
  })

  it.each([
    [0, 'new'],
    [1, 'b'],
    [2, 'b'],
    [-1, 'b'],
    [99, 'b'],
  ])('have a new one at position %i', async (position, first) => {
    const agent = quiet()
    agent.registerReply(anybody, says('a'))
    agent.registerReply(anybody, says('b'))
    agent.registerReply(anybody, says('new'), { position })
    expect(await replyOf(agent)).toBe(first)
  })

  it('stand behind those that decide about the end, where their position says so', async () => {
    const agent = quiet()
    agent.registerReply(anybody, says('late'), { position: 1 })
    const last = [{ role: 'user' as const, content: 'TERMINATE' }]
    expect(await agent.generateReply({ messages: last })).toBeNull()
    expect(await replyOf(agent)).toBe('late')
  })

  it('pass on what they leave, and the first that has something ends it, also with null', async () => {
    const asked: string[] = []
    const agent = quiet()
    const noting =
      (name: string, outcome: Awaited<ReturnType<ReplyFunction>>): ReplyFunction =>
      () => {
        asked.push(name)
        return outcome
      }
    agent.registerReply(anybody, noting('third', { reply: 'too late' }))
    agent.registerReply(anybody, noting('second', { reply: null }))
    agent.registerReply(anybody, noting('first', undefined))
    expect(await agent.generateReply({ messages })).toBeNull()
    expect(asked).toEqual(['first', 'second'])
  })

  it('must return a reply, or nothing', async () => {
    const agent = quiet()
    agent.registerReply(anybody, (() => 7) as unknown as ReplyFunction)
    expect(await codeOf(() => agent.generateReply({ messages }))).toBe('INVALID_REPLY')
  })

  it('have a list of their own, which changes nothing that was said', async () => {
    const agent = quiet()
    agent.registerReply(anybody, (request) => {
      ;(request.messages as Message[]).pop()
      return { reply: 'done' }
    })
    const given = [...messages]
    expect(await agent.generateReply({ messages: given })).toMatchObject({ content: 'done' })
    expect(given).toEqual(messages)
  })

  it('all go for one that takes their place', async () => {
    const agent = quiet()
    agent.registerReply(anybody, says('old'))
    agent.registerReply('nobody', says('new'), { removeOtherReplyFunctions: true })
    expect(await replyOf(agent)).toBe('')
    const last = [{ role: 'user' as const, content: 'TERMINATE' }]
    expect(await agent.generateReply({ messages: last })).toMatchObject({ content: '' })
  })

  it('can each be exchanged, at the same place', async () => {
    const [old, replacement] = [says('old'), says('replacement')]
    const agent = quiet()
    agent.registerReply('sender', old)
    agent.registerReply('nobody', says('unasked'))
    agent.replaceReplyFunction(old, replacement)
    expect(await replyOf(agent)).toBe('replacement')
    agent.registerReply(anybody, says('before it'))
    expect(await replyOf(agent)).toBe('before it')
    expect(await codeOf(() => agent.replaceReplyFunction(old, says('x')))).toBe('UNKNOWN_REPLY_FUNCTION')
  })

  it('can be the built-in ones', async () => {
    const agent = quiet()
    agent.replaceReplyFunction(checkTerminationAndHumanReply, says('whatever you say'))
    const last = [{ role: 'user' as const, content: 'TERMINATE' }]
    expect(await agent.generateReply({ messages: last })).toMatchObject({ content: 'whatever you say' })
  })

  it('can be left out of one reply', async () => {
    const [a, b] = [says('a'), says('b')]
    const agent = quiet()
    agent.registerReply(anybody, a)
    agent.registerReply(anybody, b)
    expect(await replyOf(agent, [b])).toBe('a')
    expect(await replyOf(agent, [a, b])).toBe('')
    expect(await replyOf(agent)).toBe('b')
  })

  it('may register others while they are asked, which are asked the next time', async () => {
    const agent = quiet()
    agent.registerReply(anybody, () => {
      agent.registerReply(anybody, says('new'))
      return undefined
    })
    expect([await replyOf(agent), await replyOf(agent)]).toEqual(['', 'new'])
  })

  it('end the conversation with what they throw', async () => {
    const agent = quiet()
    agent.registerReply(anybody, () => {
      throw new Error('out of words')
    })
    const chat = speaker('sender').initiateChat(agent, { message: 'hello' })
    await expect(chat).rejects.toThrow('out of words')
  })

  it('may end the conversation behind their last word', async () => {
    const agent = quiet()
    agent.registerReply(anybody, () => ({ reply: 'good-bye', endsChat: 'enough' }))
    const result = await speaker('sender', ['never said']).initiateChat(agent, { message: 'hello' })
    expect(contentsOf(result.messages)).toEqual(['hello', 'good-bye'])
    expect(result.stopReason).toBe('enough')
  })

  it('may end the conversation behind the word of another function', async () => {
    const agent = quiet()
    agent.registerReply(anybody, says('good-bye'))
    agent.registerReply(anybody, () => ({ endsChat: 'enough' }))
    const result = await speaker('sender', ['never said']).initiateChat(agent, { message: 'hello' })
    expect(contentsOf(result.messages)).toEqual(['hello', 'good-bye'])
    expect(result.stopReason).toBe('enough')
  })
})

describe('the configuration of a function', () => {
  const counting: ReplyFunction = ({ config }) => {
    const counter = config as { count: number }
    counter.count++
    return { reply: String(counter.count) }
  }

  async function countedThenReset(options: RegisterReplyOptions) {
    const agent = quiet()
    agent.registerReply(anybody, counting, options)
    const before = [await replyOf(agent), await replyOf(agent)]
    agent.reset()
    return [...before, await replyOf(agent)]
  }

  it('is handed to it with every call, and is as it was after a reset', async () => {
    expect(await countedThenReset({ config: { count: 0 } })).toEqual(['1', '2', '1'])
  })

  it('is a copy: what it was made from stays', async () => {
    const config = { count: 0 }
    await countedThenReset({ config })
    expect(config).toEqual({ count: 0 })
  })

  it('is what a function makes of it at a reset', async () => {
    const resetConfig = (config: unknown) => ({ count: (config as { count: number }).count * 10 })
    expect(await countedThenReset({ config: { count: 0 }, resetConfig })).toEqual(['1', '2', '21'])
  })

  it('is the same object where it is not a plain one', async () => {
    class Counter {
      count = 0
    }
    const config = new Counter()
    expect(await countedThenReset({ config })).toEqual(['1', '2', '3'])
    expect(config.count).toBe(3)
  })

  it('is nothing where there is none', async () => {
    const agent = quiet()
    let seen: unknown = 'untouched'
    agent.registerReply(anybody, ({ config }) => {
      seen = config
      return undefined
    })
    await replyOf(agent)
    expect(seen).toBeUndefined()
  })
})
