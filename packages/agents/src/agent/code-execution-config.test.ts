import { registerExecutor } from '@fenced/core/driver'
import { describe, expect, it } from 'vitest'
import { ConversableAgent } from '../conversable-agent/conversable-agent.ts'
import { AssistantAgent, UserProxyAgent } from '../conversable-agent/presets.ts'
import { EchoExecutor, fence } from '../reply/echo-executor.fixture.ts'
import type { CodeExecutionConfig, ConversableAgentOptions } from './agent-options.ts'
import { codeOf } from './agents.fixture.ts'

const made: EchoExecutor[] = []
registerExecutor('echo', (options) => {
  const executor = new EchoExecutor(options)
  made.push(executor)
  return executor
})

const agentWith = (codeExecutionConfig: CodeExecutionConfig | false) =>
  new ConversableAgent({ name: 'agent', codeExecutionConfig })
const program = [{ role: 'user' as const, content: fence('python', 'hello') }]

describe('the executor of an agent', () => {
  it('is the one that it is given, which it does not stop', async () => {
    const executor = new EchoExecutor()
    const agent = agentWith({ executor })
    expect(agent.executor).toBe(executor)
    await agent.stop()
    expect(executor.stops).toBe(0)
  })

  it('is made from a name, and stopped with the agent', async () => {
    const agent = agentWith({ executor: 'echo' })
    const executor = made.at(-1)
    expect(agent.executor).toBe(executor)
    expect((await agent.generateReply({ messages: program }))?.content).toContain('hello')
    await agent.stop()
    expect(executor?.stops).toBe(1)
    {
      await using _again = agent
    }
    expect(executor?.stops).toBe(2)
  })

  it('is made from a name with options, which it checks itself', async () => {
    const agent = agentWith({ executor: { name: 'echo', options: { redact: ['hello'] } } })
    expect((await agent.generateReply({ messages: program }))?.content).toContain('[redacted]')
    const wrong = { executor: { name: 'echo', options: { timeout: 3 } } }
    expect(await codeOf(() => agentWith(wrong))).toBe('INVALID_OPTIONS')
  })

  it('of an unknown name is an error that says what to import', () => {
    expect(() => agentWith({ executor: 'commandline-remote' })).toThrow(
      expect.objectContaining({
        code: 'UNKNOWN_EXECUTOR',
        data: {
          executor: 'commandline-remote',
          // Other tests in the same process may have registered more.
          known: expect.stringMatching(/\becho\b/),
        },
      }),
    )
  })

  it('is none unless one is given', async () => {
    for (const agent of [
      agentWith(false),
      new ConversableAgent({ name: 'a' }),
      new AssistantAgent({ name: 'b' }),
    ]) {
      expect(agent.executor).toBeUndefined()
      await agent.stop()
    }
  })
})

describe('options', () => {
  it('of a wrong kind are refused by each agent', ({ everyRow }) =>
    everyRow<[string, Record<string, unknown>]>(
      [
        ['no name', { name: undefined }],
        ['an empty name', { name: '' }],
        ['an unknown mode', { humanInputMode: 'ALWAYS' }],
        ['a limit below none', { maxConsecutiveAutoReply: -1 }],
        ['half a limit', { maxConsecutiveAutoReply: 1.5 }],
        ['a test that is no function', { isTermination: 'TERMINATE' }],
        ['a person without `ask`', { humanInput: {} }],
        ['a model that is none', { model: {} }],
        ['no model in a list', { model: [] }],
        ['an option that nobody knows', { llm_config: false }],
        ['true as configuration', { codeExecutionConfig: true }],
        ['a configuration without executor', { codeExecutionConfig: {} }],
        ['an executor that is none', { codeExecutionConfig: { executor: {} } }],
        ['messages below none', { codeExecutionConfig: { executor: 'echo', lastNMessages: -1 } }],
        ['half a message', { codeExecutionConfig: { executor: 'echo', lastNMessages: 1.5 } }],
        ['messages in words', { codeExecutionConfig: { executor: 'echo', lastNMessages: 'all' } }],
        ["upstream's names", { codeExecutionConfig: { executor: 'echo', use_docker: false } }],
      ],
      async (_, options) => {
        for (const Agent of [ConversableAgent, AssistantAgent, UserProxyAgent]) {
          const all = { name: 'agent', ...options } as unknown as ConversableAgentOptions
          expect(await codeOf(() => new Agent(all))).toBe('INVALID_OPTIONS')
        }
      },
    ))

  it('of one agent are not those of another', () => {
    const options = { name: 'a', codeExecutionConfig: { executor: new EchoExecutor() } }
    const before = structuredClone({ name: options.name })
    const [a, b] = [new ConversableAgent(options), new ConversableAgent({ ...options, name: 'b' })]
    a.updateMaxConsecutiveAutoReply(1)
    a.updateSystemMessage('x')
    expect([b.maxConsecutiveAutoReply(), b.systemMessage]).toEqual([100, 'You are a helpful assistant.'])
    expect({ name: options.name }).toEqual(before)
  })
})
