import { describe, expect, it } from 'vitest'
import { ConversableAgent } from '../conversable-agent/conversable-agent.ts'
import { AssistantAgent, UserProxyAgent } from '../conversable-agent/presets.ts'
import type { ReplyTrigger } from './agent.ts'
import { codeOf, speaker } from './agents.fixture.ts'

const sender = new AssistantAgent({ name: 'sender' })
const other = new AssistantAgent({ name: 'other' })

async function replyOf(trigger: ReplyTrigger, from: ConversableAgent | undefined = sender) {
  const agent = speaker('agent', ['other function'])
  agent.registerReply(trigger, () => ({ reply: 'meant' }))
  const messages = [{ role: 'user' as const, content: 'hello' }]
  return (await agent.generateReply({ messages, sender: from }))?.content
}

describe('a reply function is asked', () => {
  it('for each sender that its trigger means', ({ everyRow }) =>
    everyRow<[string, ReplyTrigger, boolean]>(
      [
        ['this agent', sender, true],
        ['another agent', other, false],
        ['its name', 'sender', true],
        ['another name', 'other', false],
        ['a name in other letters', 'Sender', false],
        ['its class', AssistantAgent, true],
        ['the class above', ConversableAgent, true],
        ['a class below', class Special extends AssistantAgent {}, false],
        ['another class', UserProxyAgent, false],
        ['a function that says yes', (from) => from === sender, true],
        ['a function that says no', () => false, false],
        [
          'a function of the old kind',
          function isMeant() {
            return true
          },
          true,
        ],
        ['a list with it', ['other', null, sender], true],
        ['a list in a list with it', [['other'], [() => false, ['sender']]], true],
        ['a list without it', ['other', other, null, UserProxyAgent, () => false], false],
        ['an empty list', [], false],
        ['nobody', null, false],
      ],
      async (_, trigger, isMeant) => {
        expect(await replyOf(trigger)).toBe(isMeant ? 'meant' : 'other function')
      },
    ))

  it.each<[string, ReplyTrigger, boolean]>([
    ['nobody', null, true],
    ['a list with nobody', ['sender', null], true],
    ['a name', 'sender', false],
    ['an agent', sender, false],
    ['a class', ConversableAgent, false],
    ['a function that takes nobody', (from) => from === undefined, true],
  ])('without a sender for %s', async (_, trigger, isMeant) => {
    const agent = speaker('agent', ['other function'])
    agent.registerReply(trigger, () => ({ reply: 'meant' }))
    const reply = await agent.generateReply({ messages: [] })
    expect(reply?.content).toBe(isMeant ? 'meant' : 'other function')
  })
})

describe('a trigger', () => {
  it.each<[string, unknown]>([
    ['a number', 1],
    ['nothing', undefined],
    ['true', true],
    ['an object', {}],
    ['a list with a number', ['sender', 2]],
    ['a list within a list with nothing', [[undefined]]],
  ])('cannot be %s', async (_, trigger) => {
    const agent = speaker('agent')
    expect(await codeOf(() => agent.registerReply(trigger as ReplyTrigger, () => undefined))).toBe(
      'INVALID_TRIGGER',
    )
  })

  it.each<[string, () => unknown]>([
    ['a text', () => 'yes'],
    ['nothing', () => undefined],
    ['a promise', async () => true],
  ])('that is a function must not answer with %s', async (_, trigger) => {
    expect(await codeOf(() => replyOf(trigger as () => boolean))).toBe('INVALID_TRIGGER')
  })
})
