import { extractCodeBlocks } from '@fenced/core'
import { describe, expect, it } from 'vitest'
import { contentsOf, speaker } from '../agent/agents.fixture.ts'
import { fence } from '../reply/echo-executor.fixture.ts'
import { ScriptedHumanInput } from '../testing/scripted-human-input.ts'
import { ScriptedModel } from '../testing/scripted-model.ts'
import { AssistantAgent, UserProxyAgent } from './presets.ts'

const notRun =
  'The code was not run: user has no code executor. Set codeExecutionConfig: { executor }, or false if it should run nothing.'

describe('an AssistantAgent', () => {
  it('is told how to write code that is run, unless somebody says otherwise', () => {
    const { defaultSystemMessage } = AssistantAgent
    for (const word of ['```python', '```sh', '# filename:', 'TERMINATE']) {
      expect(defaultSystemMessage).toContain(word)
    }
    expect(new AssistantAgent({ name: 'a' }).systemMessage).toBe(defaultSystemMessage)
    expect(new AssistantAgent({ name: 'a', systemMessage: 'Rhyme.' })).toMatchObject({
      systemMessage: 'Rhyme.',
      description: 'Rhyme.',
    })
    expect(new AssistantAgent({ name: 'a', description: 'It rhymes.' }).description).toBe('It rhymes.')
    expect(extractCodeBlocks(defaultSystemMessage)).toEqual([])
  })

  it('asks nobody, and runs nothing', async () => {
    const agent = new AssistantAgent({ name: 'a', model: new ScriptedModel(['I would.']) })
    const messages = [{ role: 'user' as const, content: fence('python', 'print(1)') }]
    expect(await agent.generateReply({ messages })).toMatchObject({ content: 'I would.' })
    expect(await agent.generateReply({ messages: [{ role: 'user', content: 'TERMINATE' }] })).toBeNull()
  })
})

it.each([null, [], 'fast'])('an agent refuses model options that are no object: %j', (modelOptions) => {
  const options = { name: 'a', model: new ScriptedModel([]), modelOptions } as never
  expect(() => new AssistantAgent(options)).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: 'modelOptions' } }),
  )
})

describe('a UserProxyAgent', () => {
  it('asks a person before each reply', async () => {
    const humanInput = new ScriptedHumanInput(['shorter', 'exit'])
    const user = new UserProxyAgent({ name: 'user', humanInput })
    const result = await user.initiateChat(speaker('a', ['long', 'short']), { message: 'begin' })
    expect(contentsOf(result.messages)).toEqual(['begin', 'long', 'shorter', 'short'])
    expect(user.systemMessage).toBe('')
  })

  it('describes itself by who decides', () => {
    const modes = ['always', 'terminate', 'never'] as const
    const descriptions = modes.map(
      (humanInputMode) => new UserProxyAgent({ name: 'u', humanInputMode }).description,
    )
    expect(new Set(descriptions).size).toBe(3)
    expect(new UserProxyAgent({ name: 'u', description: 'me' }).description).toBe('me')
  })

  const user = (options = {}) => new UserProxyAgent({ name: 'user', humanInputMode: 'never', ...options })
  const replyTo = async (content: string, agent = user()) =>
    (await agent.generateReply({ messages: [{ role: 'user', content }] }))?.content

  it('D-40: needs nothing to be made, and says that it has run nothing', async () => {
    expect(await replyTo(`Run this:\n\n${fence('python', 'print(1)')}`)).toBe(notRun)
    expect(await replyTo(fence('sh', 'ls'))).toBe(notRun)
  })

  it('D-40: says nothing where there is no program', async () => {
    for (const content of ['hello', '', fence('json', '{}'), fence('diff', '- a')]) {
      expect(await replyTo(content)).toBe('')
    }
  })

  it('D-40: says nothing where it was told to run nothing, or has something else to say', async () => {
    const code = fence('python', 'print(1)')
    expect(await replyTo(code, user({ codeExecutionConfig: false }))).toBe('')
    expect(await replyTo(code, user({ model: new ScriptedModel(['I am a model.']) }))).toBe('I am a model.')
    const own = user()
    own.registerReply(
      () => true,
      () => ({ reply: 'own words' }),
      { position: 4 },
    )
    expect(await replyTo(code, own)).toBe('own words')
  })

  it('D-40: the answer ends no conversation', async () => {
    const writer = speaker('writer', [fence('python', 'print(1)'), 'A pity.'])
    const result = await user().initiateChat(writer, { message: 'begin', maxTurns: 2 })
    expect(contentsOf(result.messages)).toEqual(['begin', fence('python', 'print(1)'), notRun, 'A pity.'])
  })
})
