import { describe, expect, it } from 'vitest'
import type { NestedMessageContext } from '../agent/agent.ts'
import {
  codeOf,
  contentsOf,
  endless,
  eventsOf,
  eventsOfType,
  historyOf,
  speaker,
} from '../agent/agents.fixture.ts'
import { ScriptedModel } from '../testing/scripted-model.ts'

const onlyOnce = { maxTurns: 1 }

describe('nested chats', () => {
  it('leave the outer conversation with its first message and the last summary', async () => {
    const [first, second] = [speaker('first', ['draft']), speaker('second', ['final'])]
    const [a, b] = [speaker('a'), speaker('b', ['its own reply'])]
    b.registerNestedChats(
      [
        { recipient: first, ...onlyOnce },
        { recipient: second, message: 'better', ...onlyOnce },
      ],
      { trigger: a },
    )
    const result = await a.initiateChat(b, { message: 'start' })
    expect(contentsOf(result.messages)).toEqual(['start', 'final'])
    expect(contentsOf(historyOf(b, first))).toEqual(['start', 'draft'])
    expect(contentsOf(historyOf(b, second))).toEqual(['better\nContext: \ndraft', 'final'])
  })

  it('are held by the agent itself unless another one is to begin', async () => {
    const [inner, other] = [speaker('inner', endless('answer')), speaker('other')]
    const [a, b] = [speaker('a'), speaker('b')]
    b.registerNestedChats([{ sender: other, recipient: inner, ...onlyOnce }], { trigger: a })
    await a.initiateChat(b, { message: 'start' })
    expect(contentsOf(historyOf(inner, other))).toEqual(['start', 'answer'])
    b.registerNestedChats([{ sender: undefined, recipient: inner, ...onlyOnce }], { trigger: a })
    await a.initiateChat(b, { message: 'start' })
    expect(contentsOf(historyOf(inner, b))).toHaveLength(2)
  })

  it('without a message are left out, except for the first', async () => {
    const [first, second, third] = ['first', 'second', 'third'].map((name) => speaker(name, [name])) as [
      ReturnType<typeof speaker>,
      ReturnType<typeof speaker>,
      ReturnType<typeof speaker>,
    ]
    const [a, b] = [speaker('a'), speaker('b')]
    b.registerNestedChats(
      [
        { recipient: first, ...onlyOnce },
        { recipient: second, ...onlyOnce },
        { recipient: third, message: 'and you?', ...onlyOnce },
      ],
      { trigger: a },
    )
    const { messages } = await a.initiateChat(b, { message: 'start' })
    expect(contentsOf(messages)).toEqual(['start', 'third'])
    expect([...second.chatMessages.keys()]).toEqual([])
  })

  it('leave the reply to the next function where none of them could begin', async () => {
    const [a, b] = [speaker('a'), speaker('b', ['its own reply'])]
    b.registerNestedChats([{ recipient: speaker('inner'), message: '' }], { trigger: a })
    const { messages } = await a.initiateChat(b, { message: 'start' })
    expect(contentsOf(messages)).toEqual(['start', 'its own reply'])
  })

  it('begin with what a function makes of the outer conversation', async () => {
    const seen: NestedMessageContext[] = []
    const inner = speaker('inner', ['answer'])
    const [a, b] = [speaker('a'), speaker('b')]
    b.registerNestedChats(
      [
        {
          recipient: inner,
          ...onlyOnce,
          carryover: 'background',
          context: { k: 1 },
          message: async (context) => {
            seen.push(context)
            return `about: ${context.messages.at(-1)?.content}`
          },
        },
      ],
      { trigger: 'a' },
    )
    await a.initiateChat(b, { message: 'start' })
    expect(contentsOf(historyOf(b, inner))).toEqual(['about: start', 'answer'])
    expect(seen).toMatchObject([
      { sender: { name: 'b' }, recipient: { name: 'inner' }, carryover: ['background'], context: { k: 1 } },
    ])
  })

  it('are held for those that the trigger means, behind the decision about the end', async () => {
    const inner = speaker('inner', endless('answer'))
    const b = speaker('b', endless('its own reply'))
    b.registerNestedChats([{ recipient: inner, ...onlyOnce }], { trigger: 'a' })
    const from = async (name: string, message: string) =>
      contentsOf((await speaker(name).initiateChat(b, { message })).messages)
    expect(await from('a', 'start')).toEqual(['start', 'answer'])
    expect(await from('c', 'start')).toEqual(['start', 'its own reply'])
    expect(await from('a', 'TERMINATE')).toEqual(['TERMINATE'])
  })

  it('tell their events between those of the outer conversation, and their usage counts there', async () => {
    const inner = speaker('inner', [], { model: new ScriptedModel(['answer']) })
    const [a, b] = [speaker('a'), speaker('b')]
    b.registerNestedChats([{ recipient: inner, ...onlyOnce }], { trigger: a })
    const chat = a.initiateChat(b, { message: 'start' })
    const events = await eventsOf(chat)
    const told = events.flatMap((event) => {
      if (event.type === 'message') return [`${event.agent}: ${event.message.content}`]
      return event.type === 'chat-start' || event.type === 'chat-end' ? [event.type] : []
    })
    expect(told).toEqual([
      'chat-start',
      'a: start',
      'chat-start',
      'b: start',
      'inner: answer',
      'chat-end',
      'b: answer',
      'chat-end',
    ])
    const [innerEnd, outerEnd] = eventsOfType(events, 'chat-end').map((event) => event.result.usage)
    expect(innerEnd?.outputTokens).toBe(1)
    expect(outerEnd).toEqual(innerEnd)
  })

  it('with wrong options are told of', async () => {
    const [a, b] = [speaker('a'), speaker('b')]
    b.registerNestedChats([{ recipient: undefined as never }], { trigger: a })
    expect(await codeOf(() => a.initiateChat(b, { message: 'start' }))).toBe('INVALID_OPTIONS')
    expect(await codeOf(() => b.registerNestedChats([], { trigger: 7 as never }))).toBe('INVALID_TRIGGER')
  })
})
