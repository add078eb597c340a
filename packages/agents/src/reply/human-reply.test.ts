import { describe, expect, it } from 'vitest'
import { endless, eventsOf, eventsOfType, historyOf, speaker } from '../agent/agents.fixture.ts'
import { ConversableAgent } from '../conversable-agent/conversable-agent.ts'
import { textOf } from '../message/message.ts'
import { asking, denying } from '../message/messages.fixture.ts'
import { toolResponsesOf } from '../message/tool-parts.ts'
import { ScriptedHumanInput } from '../testing/scripted-human-input.ts'

const calls = [
  { id: '1', name: 'add', input: {} },
  { id: '2', name: 'subtract', input: {} },
]

describe('what a person says', () => {
  it('CA-44: is asked for by another name when nobody is known to wait for it', async () => {
    const humanInput = new ScriptedHumanInput(['hello'])
    const agent = new ConversableAgent({ name: 'me', humanInputMode: 'always', humanInput })
    await agent.generateReply({ messages: [{ role: 'user', content: 'go on' }] })
    expect(humanInput.requests).toMatchObject([
      {
        kind: 'reply',
        choices: [
          { answer: '', label: 'Continues' },
          { answer: 'exit', label: 'Ends the conversation' },
        ],
        agent: 'me',
        prompt:
          "Replying as me. Provide feedback to the sender. Press enter to skip and use auto-reply, or type 'exit' to end the conversation: ",
        onEmpty: { action: 'reply' },
      },
    ])
  })

  it('CA-45: answers every call of a tool that is then not made', async () => {
    const humanInput = new ScriptedHumanInput(['do not'])
    const me = new ConversableAgent({ name: 'me', humanInputMode: 'always', humanInput })
    let ran = false
    me.registerForExecution({
      name: 'add',
      inputSchema: { jsonSchema: {} } as never,
      execute: () => {
        ran = true
      },
    })
    const partner = speaker('partner')
    await partner.initiateChat(me, { message: asking('', ...calls) })
    expect(historyOf(me, partner).at(-1)).toMatchObject(denying('do not', ...calls))
    const [answer] = historyOf(me, partner).slice(-1)
    expect(answer && textOf(answer)).toBe('do not')
    expect(answer && toolResponsesOf(answer)).toEqual([
      { toolCallId: '1', name: 'add', content: 'USER INTERRUPTED', isError: true },
      { toolCallId: '2', name: 'subtract', content: 'USER INTERRUPTED', isError: true },
    ])
    expect(ran).toBe(false)
  })

  it('CA-46: is in the result of the one who began, with empty answers and the exit', async () => {
    const mine = new ScriptedHumanInput(['', 'shorter', 'exit'])
    const theirs = new ScriptedHumanInput(endless('unheard') as () => string)
    const me = speaker('me', endless('and?'), { humanInputMode: 'always', humanInput: mine })
    const other = speaker('other', [], { humanInputMode: 'always', humanInput: theirs })
    const chat = me.initiateChat(other, { message: 'begin' })
    const events = await eventsOf(chat)
    expect((await chat).humanInput).toEqual(['', 'shorter', 'exit'])
    expect(
      eventsOfType(events, 'human-input-answered').map(({ agent, text }) => `${agent}: ${text}`),
    ).toEqual(['other: unheard', 'me: ', 'other: unheard', 'me: shorter', 'other: unheard', 'me: exit'])
  })

  it('CA-46: is not there where nobody is asked', async () => {
    expect((await speaker('me').initiateChat(speaker('other'), { message: 'begin' })).humanInput).toEqual([])
  })

  it('CA-48: is asked for although nothing was said before', async () => {
    const humanInput = new ScriptedHumanInput(['first'])
    const agent = new ConversableAgent({ name: 'me', humanInputMode: 'always', humanInput })
    expect(await agent.generateReply({ messages: [] })).toMatchObject({ content: 'first' })
  })
})

describe('CA-49: why a conversation has ended', () => {
  const typing = (...typed: string[]) => ({
    humanInputMode: 'terminate' as const,
    humanInput: new ScriptedHumanInput(typed),
  })

  it.each([
    ['a message that ends it', speaker('b', ['TERMINATE']), 'b sent a message that ends it.'],
    [
      'the limit of answers',
      speaker('b', endless('x'), { maxConsecutiveAutoReply: 2 }),
      'b reached its limit of automatic replies.',
    ],
    [
      'a person',
      speaker('b', ['x'], { ...typing('exit'), maxConsecutiveAutoReply: 0 }),
      'The person behind b asked to end it.',
    ],
    ['nothing to say', speaker('b'), 'b has no reply.'],
    ['the limit of turns', speaker('b', endless('x')), 'The maximum of 3 turns is reached.'],
  ])('is %s', async (_, recipient, reason) => {
    const chat = speaker('a', endless('y')).initiateChat(recipient, { message: 'x', maxTurns: 3 })
    const events = await eventsOf(chat)
    expect((await chat).stopReason).toBe(reason)
    expect(eventsOfType(events, 'termination').map((event) => event.reason)).toEqual([reason])
  })
})
