import { CodeExecutorAgent, RoundRobinGroupChat } from '@fenced/agents'
import { loadComponent } from '@fenced/agents/config'
import { MaxMessageTermination } from '@fenced/agents/termination'
import { ScriptedModel } from '@fenced/agents/testing'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { describe, expect, it } from 'vitest'
import '@fenced/executor-local/register'
import { python } from '../demo.ts'
import { fenced } from './programs.ts'

const answers = [fenced('python', 'print(6 * 7)'), 'It is 42.']

describe.skipIf(python.missing)('SC-14: an agent that is saved and loaded', () => {
  it('has the same configuration, and does the same', async () => {
    await using executor = new LocalCommandLineCodeExecutor({ timeoutMs: 10_000 })
    const agent = new CodeExecutorAgent({
      name: 'coder',
      executor,
      model: new ScriptedModel(answers),
      maxRetriesOnError: 2,
      systemMessage: 'Compute.',
    })
    const text = JSON.stringify(agent.toConfig())
    await using loaded = loadComponent(JSON.parse(text), {
      expect: CodeExecutorAgent,
      models: (id) => new ScriptedModel(answers, { modelId: id.replace('fenced/', '') }),
    })
    expect(JSON.stringify(loaded.toConfig())).toBe(text)
    const { messages, events } = await loaded.run({ task: 'What is six times seven?' })
    const types = events.map(({ type }) => type).filter((type) => type !== 'code' && type !== 'usage')
    expect(types).toEqual(['task-start', 'message', 'code-generated', 'code-end', 'message'])
    expect(messages.at(-1)).toMatchObject({ content: 'It is 42.' })
  })

  it('may sit in a team', async () => {
    const executor = 'commandline-local'
    await using runner = new CodeExecutorAgent({ name: 'runner', executor, sources: ['user'] })
    const team = new RoundRobinGroupChat({
      participants: [runner],
      terminationCondition: new MaxMessageTermination({ maxMessages: 2 }),
    })
    const text = JSON.stringify(team.toConfig())
    const loaded = loadComponent(JSON.parse(text), {
      expect: RoundRobinGroupChat,
      executors: () => runner.executor,
    })
    expect(JSON.stringify(loaded.toConfig())).toBe(text)
    const { messages, stopReason } = await loaded.run({ task: fenced('python', 'print(1)') })
    expect(messages.at(-1)).toMatchObject({ source: 'runner', content: '1\n' })
    expect(stopReason).toContain('2')
  })
})
