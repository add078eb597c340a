import { describe, expect, it } from 'vitest'
import type { ConversableAgentOptions } from '../../src/agent/agent-options.ts'
import {
  codeOf,
  contentsOf,
  endless,
  eventsOf,
  eventsOfType,
  speaker,
} from '../../src/agent/agents.fixture.ts'
import { initiateChats } from '../../src/chat/chat-queue.ts'
import { ConversableAgent } from '../../src/conversable-agent/conversable-agent.ts'
import { AssistantAgent, UserProxyAgent } from '../../src/conversable-agent/presets.ts'
import { textOf } from '../../src/message/message.ts'
import { EchoExecutor, fence } from '../../src/reply/echo-executor.fixture.ts'
import { ScriptedHumanInput } from '../../src/testing/scripted-human-input.ts'
import { ScriptedModel } from '../../src/testing/scripted-model.ts'

/** It runs code and has nothing else to say. */
const runnerOf = (options: Partial<ConversableAgentOptions> = {}) =>
  new ConversableAgent({
    name: 'runner',
    humanInputMode: 'never',
    codeExecutionConfig: { executor: new EchoExecutor() },
    ...options,
  })

describe('a conversation in which nothing is said any more', () => {
  it('ends when one replies with nothing to thanks twice', async () => {
    const writer = speaker('writer', endless('You are welcome!'))
    const runner = runnerOf()
    const { messages, stopReason, status } = await runner.initiateChat(writer, { message: 'Thanks.' })
    expect(contentsOf(messages)).toEqual(['Thanks.', 'You are welcome!', '', 'You are welcome!'])
    expect([status, stopReason]).toEqual(['done', 'runner replied with an empty message twice in a row.'])
  })

  it('ends when both have nothing to say', async () => {
    const { messages, stopReason } = await speaker('a', endless('')).initiateChat(speaker('b', endless('')), {
      message: 'Begin.',
    })
    expect(contentsOf(messages)).toEqual(['Begin.', ''])
    expect(stopReason).toBe('Both replied with an empty message.')
  })

  it('goes on while a person is asked each time', async () => {
    const humanInput = new ScriptedHumanInput(['', '', '', 'exit'])
    const user = new UserProxyAgent({ name: 'user', humanInput })
    const { messages } = await user.initiateChat(speaker('a', endless('more')), { message: 'Begin.' })
    expect(messages).toHaveLength(8)
  })

  it('goes on where pictures are said, which have no text', async () => {
    const picture = { content: [{ type: 'file', data: 'iVBORw0KGgo=', mediaType: 'image/png' }] } as const
    const artist = speaker('artist', [picture, picture, null] as never)
    const { messages, stopReason } = await runnerOf().initiateChat(artist, { message: 'Draw.' })
    expect(messages.filter(({ content }) => typeof content !== 'string')).toHaveLength(2)
    expect(stopReason).toContain('runner replied with an empty message twice')
  })

  it('goes on where something is said in between', async () => {
    const writer = speaker('writer', ['one', fence('python', 'two'), 'three', null])
    const runner = runnerOf()
    const { messages } = await runner.initiateChat(writer, { message: 'Begin.' })
    expect(contentsOf(messages).slice(2)).toEqual([
      '',
      fence('python', 'two'),
      'exitcode: 0 (execution succeeded)\nCode output: \ntwo\n',
      'three',
      '',
    ])
  })
})

describe('a program that fails in the same way again and again', () => {
  const failing = () => ({
    writer: speaker('writer', endless(fence('python', 'fail'))),
    runner: runnerOf(),
  })
  const reason = 'The same program failed in the same way 3 times, without a success in between.'

  it('ends the conversation the third time, with its result', async () => {
    const { writer, runner } = failing()
    const { messages, stopReason } = await runner.initiateChat(writer, { message: 'Begin.' })
    expect(messages).toHaveLength(7)
    expect(contentsOf(messages).at(-1)).toContain('execution failed')
    expect(stopReason).toBe(reason)
  })

  it('ends each conversation of a queue', async () => {
    const { writer, runner } = failing()
    const entry = { sender: runner, recipient: writer, message: 'Begin.' }
    const results = await initiateChats([entry, entry])
    expect(results.map(({ stopReason, messages }) => [stopReason, messages.length])).toEqual([
      [reason, 7],
      [reason, 7],
    ])
  })

  it('ends it also when two programs take turns', async () => {
    const programs = ['python', 'sh', 'python', 'sh', 'python', 'sh'].map((language) =>
      fence(language, 'fail'),
    )
    const chat = runnerOf().initiateChat(speaker('writer', [...programs, null]), { message: 'Begin.' })
    const { stopReason, messages } = await chat
    expect(stopReason).toBe(reason)
    expect(messages.filter((each) => textOf(each).includes('execution failed'))).toHaveLength(5)
  })

  it('does not end it when one succeeded in between', async () => {
    const programs = ['fail', 'fail', 'good', 'fail', 'fail'].map((code) => fence('python', code))
    const { stopReason } = await runnerOf().initiateChat(speaker('writer', [...programs, null]), {
      message: 'Begin.',
    })
    expect(stopReason).toBe('writer has no reply.')
  })
})

describe('a program that succeeds with the same output again and again', () => {
  it('is reported the third time, and ends the conversation the fifth time', async () => {
    const chat = runnerOf().initiateChat(speaker('writer', endless(fence('sh', 'again'))), {
      message: 'Begin.',
    })
    const counts = eventsOfType(await eventsOf(chat), 'notice').map(({ notice }) => notice.data?.count)
    const { messages, stopReason } = await chat
    expect(counts).toEqual(['3', '4', '5'])
    expect(messages).toHaveLength(11)
    expect(contentsOf(messages)[6]).toMatch(/again\nThis program has run 3 times in a row/)
    expect(stopReason).toBe('The same program ran 5 times in a row with the same output.')
  })

  it('goes on where another program or a failure comes in between', async () => {
    const programs = ['a', 'a', 'b', 'a', 'a', 'fail', 'a', 'a'].map((code) => fence('sh', code))
    const chat = runnerOf().initiateChat(speaker('writer', [...programs, null]), { message: 'Begin.' })
    expect(eventsOfType(await eventsOf(chat), 'notice')).toEqual([])
    expect((await chat).stopReason).toBe('writer has no reply.')
  })
})

describe('answers that have only data', () => {
  it.each([
    ['JSON', fence('json', '{ "sum": 1 }')],
    ['an object without a label', fence('', '{ "sum": 1 }')],
    ['a list without a label', fence('', '[1, 2]')],
  ])('end the conversation the second time in a row: %s', async (_, data) => {
    const { messages, stopReason, summary } = await runnerOf().initiateChat(
      speaker('writer', endless(data)),
      { message: 'Begin.' },
    )
    expect(messages).toHaveLength(4)
    expect(contentsOf(messages)[2]).toMatch(/^No code was run\./)
    expect([summary, stopReason]).toEqual([data, 'writer sent only data twice in a row.'])
  })

  it('do not end it where something else comes in between', async () => {
    const [data, program, text] = [fence('json', '{}'), fence('sh', 'a'), fence('', 'words')]
    const lines = [data, program, data, 'words', data, text, data, null]
    const chat = runnerOf().initiateChat(speaker('writer', lines), { message: 'Begin.' })
    expect((await chat).stopReason).toBe('writer has no reply.')
  })

  it('do not end a conversation with a person', async () => {
    const humanInput = new ScriptedHumanInput([fence('json', '{}'), fence('json', '{}'), 'exit'])
    const person = new UserProxyAgent({ name: 'person', humanInput })
    const { stopReason } = await person.initiateChat(runnerOf({ defaultAutoReply: 'Go on.' }), {
      message: fence('json', '{}'),
    })
    expect(stopReason).toBe('The person behind person asked to end it.')
  })
})

describe('an agent that has nothing to reply with', () => {
  const message = 'Begin.'

  it('is no recipient of a conversation', async () => {
    const starter = speaker('starter')
    for (const agent of [
      new AssistantAgent({ name: 'a' }),
      new ConversableAgent({ name: 'a', humanInputMode: 'never' }),
    ]) {
      expect(await codeOf(() => starter.initiateChat(agent, { message }))).toBe('AGENT_CANNOT_REPLY')
      const queue = [
        { recipient: speaker('b', ['one']), message },
        { recipient: agent, message },
      ]
      expect(await codeOf(() => starter.initiateChats(queue))).toBe('AGENT_CANNOT_REPLY')
    }
    expect(starter.chatMessages.size).toBe(0)
  })

  it('can begin one in which it does not reply', async () => {
    const starter = new ConversableAgent({ name: 'a', humanInputMode: 'never' })
    const chat = () => starter.initiateChat(speaker('b', ['one', 'two']), { message })
    expect(await codeOf(chat)).toBe('AGENT_CANNOT_REPLY')
    const { summary } = await starter.initiateChat(speaker('b', ['one']), { message, maxTurns: 1 })
    expect(summary).toBe('one')
  })

  it('sends empty messages where `defaultAutoReply` is the empty text of AutoGen', async () => {
    const options = { codeExecutionConfig: false, humanInputMode: 'never', defaultAutoReply: '' } as const
    const user = new UserProxyAgent({ name: 'user', ...options })
    const { messages } = await user.initiateChat(speaker('b', ['one', 'two']), { message, maxTurns: 2 })
    expect(messages.map(({ content }) => content)).toEqual([message, 'one', '', 'two'])
  })
})

describe('the reason for an end', () => {
  it.each<[string, ConstructorParameters<typeof ScriptedModel>[0], RegExp]>([
    ['is empty', [''], /turns is reached\. The last answer of .* is empty\.$/],
    ['is whole', ['All of it.'], /turns is reached\.$/],
  ])('tells of a last answer that %s', async (_, script, reason) => {
    const writer = new AssistantAgent({ name: 'writer', model: new ScriptedModel(script) })
    const { stopReason } = await speaker('user').initiateChat(writer, { message: 'Begin.', maxTurns: 1 })
    expect(stopReason).toMatch(reason)
  })
})
