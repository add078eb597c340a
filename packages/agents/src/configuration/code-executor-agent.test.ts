import { DecisionLedger } from '@fenced/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CodeExecutorAgent } from '../code-executor-agent/code-executor-agent.ts'
import type { CodeExecutorAgentOptions } from '../code-executor-agent/options.ts'
import { createMessage } from '../message/message.ts'
import { BufferedChatCompletionContext } from '../model-context/contexts.ts'
import { EchoExecutor, fence } from '../reply/echo-executor.fixture.ts'
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
  words,
} from './configuration.fixture.ts'
import { loadComponent } from './load-component.ts'

const everyOption: EveryOption<Omit<CodeExecutorAgentOptions, 'approvalFunc'>> = {
  name: word,
  executor,
  ...everyModelOption,
  startsInReasoning: fc.boolean(),
  modelContext: count.map((bufferSize) => new BufferedChatCompletionContext({ bufferSize })),
  systemMessage: fc.oneof(word, fc.constant(null)),
  description: word,
  sources: words,
  supportedLanguages: fc.array(word, { minLength: 1, maxLength: 2 }),
  maxRetriesOnError: fc.nat(),
  retryTimeoutMs: count,
  retryTokenLimit: count,
  onRepeatedFailure: fc.constantFrom('change-strategy', 'stop'),
  reflectOnResult: fc.boolean(),
  maxResultLength: count,
  ledger: fc.constant(new DecisionLedger()),
}

const options = fc
  .record(everyOption, { requiredKeys: ['name', 'executor'] })
  .filter(
    ({ model, tools, maxRetriesOnError = 0, modelContext, maxInputTokens }) =>
      (model !== undefined || (tools === undefined && maxRetriesOnError === 0)) &&
      (modelContext === undefined || maxInputTokens === undefined),
  )

const omit = ['ledger', 'tools', 'ask', 'sandbox']

const said = (source: string, content: string) =>
  createMessage({ role: 'user', source, origin: 'model', content })

describe('the config of a CodeExecutorAgent', () => {
  it('makes the same agent again, whatever its options are', () => {
    fc.assert(
      fc.property(options, (given) => {
        const agent = new CodeExecutorAgent(given)
        const config = agent.toConfig({ omit })
        expect(config.provider).toBe('CodeExecutorAgent')
        expect(lostIn(config, given)).toEqual([])
        expect(JSON.stringify(config)).not.toMatch(secretPattern)
        const overrides = leftOutOf(given, config)
        const loaded = loadComponent(throughJson(config), { models, overrides, expect: CodeExecutorAgent })
        expect(loaded.toConfig({ omit })).toEqual(config)
        expect(loaded.name).toBe(agent.name)
        expect(loaded.description).toBe(agent.description)
        expect(loaded.executor.name).toBe('echo')
        expect(loaded.modelContext.constructor).toBe(agent.modelContext.constructor)
      }),
    )
  })

  it('has how often it tries again (D-36)', () => {
    const model = new ScriptedModel([])
    const agent = new CodeExecutorAgent({ name: 'a', executor: 'echo', model, maxRetriesOnError: 4 })
    expect(agent.toConfig().config).toMatchObject({ maxRetriesOnError: 4 })
  })

  it('makes an agent that runs whose code it ran before, in an executor of its own', async () => {
    const executor = new EchoExecutor()
    const agent = new CodeExecutorAgent({ name: 'a', executor, sources: ['ann'] })
    const loaded = loadComponent(throughJson(agent.toConfig()), { expect: CodeExecutorAgent })
    for (const one of [agent, loaded]) {
      const heard = [said('bob', fence('python', 'no')), said('ann', fence('python', 'yes'))]
      expect((await one.onMessages(heard)).message.content).toContain('yes')
    }
    expect(executor.ran).toEqual(['yes'])
    const own = loaded.executor as EchoExecutor
    expect(own.ran).toEqual(['yes'])
    await agent.stop()
    await loaded.stop()
    expect([executor.stops, own.stops]).toEqual([0, 1])
  })

  it('never makes an agent that does not ask any more: approval is given again, or done without', async () => {
    const denied = async () => ({ decision: 'deny' as const, reason: 'not today' })
    const agent = new CodeExecutorAgent({ name: 'a', executor: 'echo', ask: { code: denied } })
    expect(() => agent.toConfig()).toThrow(
      expect.objectContaining({
        code: 'NOT_CONFIGURABLE',
        data: { option: 'ask', provider: 'CodeExecutorAgent' },
      }),
    )
    const config = throughJson(agent.toConfig({ omit: ['ask'] }))
    expect(() => loadComponent(config)).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INCOMPLETE',
        data: { provider: 'CodeExecutorAgent', option: 'ask' },
      }),
    )
    const ran = async (code: typeof denied | undefined) => {
      await using loaded = loadComponent(config, {
        overrides: { ask: code && { code } },
        expect: CodeExecutorAgent,
      })
      await loaded.onMessages([said('ann', fence('python', 'hello'))])
      return (loaded.executor as EchoExecutor).ran
    }
    expect(await ran(denied)).toEqual([])
    expect(await ran(undefined)).toEqual(['hello'])
  })

  it('cannot describe an executor or a context that does not describe itself', () => {
    class Elsewhere extends EchoExecutor {
      override toConfig = undefined as never
    }
    const agent = new CodeExecutorAgent({ name: 'a', executor: new Elsewhere() })
    expect(() => agent.toConfig()).toThrow(
      expect.objectContaining({
        code: 'NOT_CONFIGURABLE',
        data: { option: 'executor', provider: 'CodeExecutorAgent' },
      }),
    )
    const config = agent.toConfig({ omit: ['executor'] })
    const executor = new EchoExecutor()
    const loaded = loadComponent(config, { overrides: { executor }, expect: CodeExecutorAgent })
    expect(loaded.executor).toBe(executor)
  })
})
