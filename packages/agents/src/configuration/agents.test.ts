import { DecisionLedger } from '@fenced/core'
import { z } from '@fenced/core/zod'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ConversableAgentOptions } from '../agent/agent-options.ts'
import { ConversableAgent } from '../conversable-agent/conversable-agent.ts'
import { AssistantAgent, UserProxyAgent } from '../conversable-agent/presets.ts'
import { BufferedChatCompletionContext } from '../model-context/contexts.ts'
import { EchoExecutor, fence } from '../reply/echo-executor.fixture.ts'
import { generateModelReply } from '../reply/generate-model-reply.ts'
import { ScriptedHumanInput } from '../testing/scripted-human-input.ts'
import { ScriptedModel } from '../testing/scripted-model.ts'
import {
  count,
  type EveryOption,
  everyModelOption,
  executor,
  leftOutOf,
  lostIn,
  models,
  secretPattern,
  throughJson,
  word,
} from './configuration.fixture.ts'
import { loadComponent } from './load-component.ts'

const everyOption: EveryOption<ConversableAgentOptions> = {
  name: word,
  systemMessage: word,
  description: word,
  ...everyModelOption,
  startsInReasoning: fc.boolean(),
  modelContext: count.map((bufferSize) => new BufferedChatCompletionContext({ bufferSize })),
  humanInputMode: fc.constantFrom('always', 'terminate', 'never'),
  humanInput: fc.constant(new ScriptedHumanInput([])),
  isTermination: fc.constant(() => true),
  maxConsecutiveAutoReply: fc.nat(),
  codeExecutionConfig: fc.oneof(
    fc.constant(false as const),
    fc.record(
      {
        executor,
        lastNMessages: fc.oneof(fc.constant('auto' as const), fc.nat()),
        maxResultLength: count,
        runBeforeTermination: fc.boolean(),
      },
      { requiredKeys: ['executor'] },
    ),
  ),
  ledger: fc.constant(new DecisionLedger()),
  defaultAutoReply: word,
}

const options = fc
  .record(everyOption, { requiredKeys: ['name'] })
  .filter(({ modelContext, maxInputTokens }) => modelContext === undefined || maxInputTokens === undefined)
const omit = ['humanInput', 'isTermination', 'ledger', 'tools', 'ask', 'sandbox']
const refused = (provider: string, option: string) =>
  expect.objectContaining({ code: 'NOT_CONFIGURABLE', data: { option, provider } })

describe.each([
  ['ConversableAgent', ConversableAgent],
  ['AssistantAgent', AssistantAgent],
  ['UserProxyAgent', UserProxyAgent],
])('the config of an agent, %s,', (provider, Agent) => {
  it('makes the same agent again, whatever its options are', () => {
    fc.assert(
      fc.property(options, (given) => {
        const agent = new Agent(given)
        const config = agent.toConfig({ omit })
        expect(config.provider).toBe(provider)
        expect(lostIn(config, given)).toEqual([])
        expect(JSON.stringify(config)).not.toMatch(secretPattern)
        const overrides = leftOutOf(given, config)
        const loaded = loadComponent(throughJson(config), { models, overrides, expect: Agent })
        expect(loaded.constructor).toBe(Agent)
        expect(loaded.toConfig({ omit })).toEqual(config)
        expect(loaded.name).toBe(agent.name)
        expect(loaded.description).toBe(agent.description)
        expect(loaded.systemMessage).toBe(agent.systemMessage)
        expect(loaded.maxConsecutiveAutoReply()).toBe(agent.maxConsecutiveAutoReply())
        expect(loaded.executor?.name).toBe(agent.executor?.name)
      }),
    )
  })

  it('says which option is no data', () => {
    for (const name of ['humanInput', 'isTermination'] as const) {
      const agent = new Agent({
        name: 'a',
        [name]: name === 'humanInput' ? new ScriptedHumanInput([]) : () => true,
      })
      expect(() => agent.toConfig()).toThrow(refused(provider, name))
      const config = agent.toConfig({ omit: [name] })
      expect(config.omitted).toEqual([name])
      expect(() => loadComponent(config)).toThrow(
        expect.objectContaining({ code: 'CONFIG_INCOMPLETE', data: { provider, option: name } }),
      )
    }
  })
})

describe('the config of an agent', () => {
  it('is that of now: what was changed after it was made is in it', () => {
    const agent = new ConversableAgent({ name: 'a' })
    expect(agent.toConfig().config).toEqual({ name: 'a' })
    agent.updateSystemMessage('Be brief.')
    agent.description = 'Brief.'
    agent.updateMaxConsecutiveAutoReply(3)
    const { config } = agent.toConfig()
    expect(config).toEqual({
      name: 'a',
      systemMessage: 'Be brief.',
      description: 'Brief.',
      maxConsecutiveAutoReply: 3,
    })
  })

  it.each([
    ['hooks', (agent: ConversableAgent) => agent.registerHook('processLastReceivedMessage', (text) => text)],
    ['tools', (agent: ConversableAgent) => agent.registerForExecution(tool)],
    ['tools', (agent: ConversableAgent) => agent.registerForModel(tool)],
    [
      'replyFunctions',
      (agent: ConversableAgent) =>
        agent.registerReply(
          () => true,
          async () => ({ reply: null }),
        ),
    ],
    ['replyFunctions', (agent: ConversableAgent) => agent.registerReply(() => true, generateModelReply)],
    ['replyFunctions', (agent: ConversableAgent) => agent.registerNestedChats([], { trigger: () => true })],
  ])('is refused with %s of yours, unless they are left out', (what, register) => {
    const agent = new AssistantAgent({ name: 'a' })
    register(agent)
    expect(() => agent.toConfig()).toThrow(refused('AssistantAgent', what))
    const config = agent.toConfig({ omit: [what] })
    expect(config.omitted).toEqual([what])
    expect(loadComponent(config, { overrides: { [what]: undefined } })).toBeInstanceOf(AssistantAgent)
  })

  it('keeps a user proxy that runs nothing and says so', async () => {
    const messages = [{ role: 'user' as const, content: fence('python', 'print(1)') }]
    const reply = async (agent: UserProxyAgent) => (await agent.generateReply({ messages }))?.content
    const runsNothing = new UserProxyAgent({ name: 'u', humanInputMode: 'never' })
    const loaded = loadComponent(throughJson(runsNothing.toConfig()), { expect: UserProxyAgent })
    expect(await reply(loaded)).toBe(await reply(runsNothing))
    const silent = new UserProxyAgent({ name: 'u', humanInputMode: 'never', codeExecutionConfig: false })
    const loadedSilent = loadComponent(throughJson(silent.toConfig()), { expect: UserProxyAgent })
    expect(await reply(loadedSilent)).toBe(await reply(silent))
    expect(await reply(loadedSilent)).not.toBe(await reply(loaded))
  })

  it('makes an executor of its own, which runs code and is the agent’s to stop', async () => {
    await using executor = new EchoExecutor({ timeoutMs: 5_000 })
    const agent = new UserProxyAgent({
      name: 'u',
      humanInputMode: 'never',
      codeExecutionConfig: { executor },
    })
    const loaded = loadComponent(throughJson(agent.toConfig()), { expect: UserProxyAgent })
    const own = loaded.executor as EchoExecutor
    expect(own).not.toBe(executor)
    const messages = [{ role: 'user' as const, content: fence('python', 'hello') }]
    expect(await loaded.generateReply({ messages })).toMatchObject({
      content: expect.stringContaining('hello'),
    })
    await loaded.stop()
    expect(own.stops).toBe(1)
  })

  it('names models by their ids, and texts stay texts', () => {
    const model = [new ScriptedModel([], { modelId: 'a/b' }), 'gateway/c']
    const config = throughJson(new AssistantAgent({ name: 'a', model }).toConfig())
    expect(config.config.model).toEqual([{ provider: 'fenced', modelId: 'a/b' }, 'gateway/c'])
    const asked: string[] = []
    loadComponent(config, {
      models: (id) => {
        asked.push(id)
        return models(id)
      },
    })
    expect(asked).toEqual(['fenced/a/b'])
    const own = new ScriptedModel(['mine'])
    expect(
      loadComponent(config, { overrides: { model: own }, expect: AssistantAgent }).toConfig().config,
    ).toMatchObject({
      model: { provider: 'fenced', modelId: 'scripted' },
    })
  })

  it('has what a model is asked with, without headers and options of providers, however short', () => {
    const providerOptions = { gateway: { byok: 'k' } }
    const modelOptions = { temperature: 0.5, headers: { 'x-key': 'k' }, providerOptions }
    const config = new AssistantAgent({ name: 'a', modelOptions }).toConfig()
    expect(config.config.modelOptions).toEqual({ temperature: 0.5 })
    expect(config.omitted).toEqual(['modelOptions.headers', 'modelOptions.providerOptions'])
  })

  it('cannot be loaded without its models', () => {
    const config = new AssistantAgent({ name: 'a', model: new ScriptedModel([]) }).toConfig()
    expect(() => loadComponent(config)).toThrow(
      expect.objectContaining({ code: 'MODELS_NEEDED', data: { model: 'fenced/scripted' } }),
    )
    expect(() => loadComponent(config, { models: () => undefined as never })).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_MODEL', data: { model: 'fenced/scripted' } }),
    )
  })

  it('is not that of a class which has its own name to say', () => {
    class Poet extends AssistantAgent {}
    expect(() => new Poet({ name: 'p' }).toConfig()).toThrow(
      expect.objectContaining({ code: 'NOT_CONFIGURABLE', data: { component: 'Poet' } }),
    )
  })
})

const tool = {
  name: 'add',
  description: 'Adds.',
  inputSchema: z.object({ a: z.number() }),
  execute: ({ a }: { a: number }) => a,
}
