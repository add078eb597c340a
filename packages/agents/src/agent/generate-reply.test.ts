import { describe, expect, it } from 'vitest'
import { ConversableAgent } from '../conversable-agent/conversable-agent.ts'
import { EchoExecutor, fence } from '../reply/echo-executor.fixture.ts'
import { ScriptedModel } from '../testing/scripted-model.ts'
import { codeOf, endless, historyOf, speaker } from './agents.fixture.ts'

const hello = [{ role: 'user' as const, content: 'hello' }]

describe('generateReply', () => {
  it('replies to the messages that it is given', async () => {
    const agent = speaker('a', (_, { messages }) => `re: ${messages.at(-1)?.content}`)
    expect(await agent.generateReply({ messages: hello })).toMatchObject({
      role: 'assistant',
      content: 're: hello',
      source: 'a',
    })
  })

  it('replies to what was said before where only the sender is given, and keeps nothing', async () => {
    const [a, b] = [speaker('a', ['one', 'two']), speaker('b')]
    await b.send('hello', a)
    const sees: unknown[] = []
    a.registerReply(
      () => true,
      ({ messages }) => {
        sees.push(messages.length)
        return undefined
      },
    )
    expect(await a.generateReply({ sender: b })).toMatchObject({ content: 'one' })
    expect(await a.generateReply({ sender: b })).toMatchObject({ content: 'two' })
    expect(sees).toEqual([1, 1])
    expect(historyOf(a, b)).toHaveLength(1)
  })

  it('has the default reply to nothing from nobody', async () => {
    const agent = new ConversableAgent({ name: 'a', defaultAutoReply: 'What is it?' })
    expect(await agent.generateReply({})).toMatchObject({ content: 'What is it?' })
  })

  it('is null where the conversation should end', async () => {
    expect(await speaker('a').generateReply({ messages: hello })).toBeNull()
  })

  it('counts no reply that nobody waits for', async () => {
    const agent = speaker('a', () => 'again', { maxConsecutiveAutoReply: 1 })
    for (let time = 0; time < 3; time++) {
      expect(await agent.generateReply({ messages: hello })).toMatchObject({ content: 'again' })
    }
  })

  it('keeps no count of replies, failures and data for the conversation with its sender', async () => {
    const executor = new EchoExecutor()
    const runner = new ConversableAgent({
      name: 'runner',
      humanInputMode: 'never',
      codeExecutionConfig: { executor },
      maxConsecutiveAutoReply: 4,
    })
    const sender = speaker('sender', endless(fence('sh', 'fail')))
    for (const content of [fence('sh', 'fail'), fence('json', '{}')]) {
      for (let time = 0; time < 5; time++) {
        const messages = [{ role: 'user' as const, content }]
        expect(await runner.generateReply({ messages, sender })).not.toBeNull()
      }
    }
    expect(runner.chatMessages.size).toBe(0)
    const { messages } = await runner.initiateChat(sender, { message: 'Begin.', clearHistory: false })
    expect(messages).toHaveLength(7)
  })

  it('has the limit of the conversation with its sender', async () => {
    const agent = speaker('a', endless('again'), { maxConsecutiveAutoReply: 1 })
    const sender = speaker('b', endless('more'))
    await sender.send('one', agent, { requestReply: true })
    for (let time = 0; time < 2; time++) expect(await agent.generateReply({ sender })).toBeNull()
  })

  it('rejects with the reason of a signal that is aborted before or meanwhile, whatever replies', async () => {
    const reason = new Error('no time left')
    const agents = (stop: AbortController) => [
      new ConversableAgent({ name: 'model', model: new ScriptedModel(['hello']) }),
      new ConversableAgent({
        name: 'runner',
        humanInputMode: 'never',
        codeExecutionConfig: { executor: new EchoExecutor() },
      }),
      new ConversableAgent({ name: 'words', humanInputMode: 'never', defaultAutoReply: 'Yes?' }),
      speaker('function', () => {
        stop.abort(reason)
        return 'too late'
      }),
    ]
    const messages = [{ role: 'user' as const, content: fence('sh', 'hang') }]
    for (const [index, agent] of agents(new AbortController()).entries()) {
      await expect(agent.generateReply({ messages, signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
      const stop = new AbortController()
      const again = agents(stop)[index] ?? agent
      const reply = again.generateReply({ messages, signal: stop.signal })
      const reading = async () => {
        for await (const { type } of reply) if (type === 'code') stop.abort(reason)
      }
      const outcome = await reading().catch((error: unknown) => error)
      expect(outcome).toBe(stop.signal.aborted ? reason : undefined)
    }
  })

  it('asks the model with its instructions', async () => {
    const model = new ScriptedModel(['hello too'])
    const agent = new ConversableAgent({ name: 'a', model, systemMessage: 'Be kind.' })
    expect(await agent.generateReply({ messages: hello })).toMatchObject({ content: 'hello too' })
    expect(JSON.stringify(model.prompts)).toContain('Be kind.')
    expect(agent.usage.byModel).toHaveProperty('scripted')
  })

  it('gives up when its signal is aborted', async () => {
    const model = new ScriptedModel(['one two three four'], { wordDelayMs: 60_000 })
    const agent = new ConversableAgent({ name: 'a', model })
    const reason = new Error('no time left')
    const stop = new AbortController()
    const reply = agent.generateReply({ messages: hello, signal: stop.signal })
    stop.abort(reason)
    await expect(reply).rejects.toBe(reason)
  })

  it('has no other errors than those of its functions', async () => {
    const model = new ScriptedModel([])
    const agent = new ConversableAgent({ name: 'a', model })
    expect(await codeOf(() => agent.generateReply({ messages: hello }))).toBe('MODEL_FAILED')
  })
})

describe('descriptions', () => {
  it.each([
    [{}, 'You are a helpful assistant.', 'You are a helpful assistant.'],
    [{ systemMessage: 'Be brief.' }, 'Be brief.', 'Be brief.'],
    [{ systemMessage: 'Be brief.', description: 'It is brief.' }, 'Be brief.', 'It is brief.'],
  ])('of an agent with %j', (options, systemMessage, description) => {
    const agent = new ConversableAgent({ name: 'a', ...options })
    expect([agent.systemMessage, agent.description]).toEqual([systemMessage, description])
    agent.updateSystemMessage('Be long.')
    expect([agent.systemMessage, agent.description]).toEqual(['Be long.', description])
  })

  it('can be changed', () => {
    const agent = new ConversableAgent({ name: 'a' })
    agent.description = 'Somebody else.'
    expect(agent.description).toBe('Somebody else.')
  })
})
