import { createExecutor } from '@fenced/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CodeExecutorAgent } from '../code-executor-agent/code-executor-agent.ts'
import { AssistantAgent, UserProxyAgent } from '../conversable-agent/presets.ts'
import { EchoExecutor, fence } from '../reply/echo-executor.fixture.ts'
import type { Participant } from '../task/chat-agent.ts'
import { asChatAgent } from '../team/as-chat-agent.ts'
import { RoundRobinGroupChat, type RoundRobinGroupChatOptions } from '../team/round-robin-group-chat.ts'
import { saidIn, TestAgent } from '../team/test-agent.fixture.ts'
import { MaxMessageTermination, TextMentionTermination } from '../termination/conditions.ts'
import { ScriptedModel } from '../testing/scripted-model.ts'
import { count, type EveryOption, lostIn, models, throughJson, word } from './configuration.fixture.ts'
import { loadComponent } from './load-component.ts'

const participant = (name: string): fc.Arbitrary<Participant> =>
  fc.constantFrom<Participant>(
    new CodeExecutorAgent({ name, executor: 'echo' }),
    asChatAgent(new AssistantAgent({ name, model: new ScriptedModel([]) })),
    asChatAgent(new UserProxyAgent({ name, codeExecutionConfig: { executor: 'echo' } })),
    new RoundRobinGroupChat({ name, participants: [new CodeExecutorAgent({ name, executor: 'echo' })] }),
  )

const everyOption: EveryOption<RoundRobinGroupChatOptions> = {
  participants: fc
    .uniqueArray(word, { minLength: 1, maxLength: 3 })
    .chain((names) => fc.tuple(...names.map(participant))),
  terminationCondition: count.map((maxMessages) =>
    new TextMentionTermination({ text: 'END' }).or(new MaxMessageTermination({ maxMessages })),
  ),
  maxTurns: count,
  name: word,
  description: word,
  emitTeamEvents: fc.boolean(),
}

const said = (team: RoundRobinGroupChat) => team.run({ task: 'go' }).then(({ events }) => saidIn(events))

describe('the config of a team', () => {
  it('makes the same team again, with all who are in it', () => {
    fc.assert(
      fc.property(fc.record(everyOption, { requiredKeys: ['participants'] }), (given) => {
        const team = new RoundRobinGroupChat(given)
        const config = team.toConfig()
        expect(lostIn(config, given)).toEqual([])
        const loaded = loadComponent(throughJson(config), { models, expect: RoundRobinGroupChat })
        expect(loaded.toConfig()).toEqual(config)
        expect(loaded.name).toBe(team.name)
        expect(loaded.description).toBe(team.description)
        expect(loaded.options.participants.map(({ name }) => name)).toEqual(
          team.options.participants.map(({ name }) => name),
        )
      }),
    )
  })

  it('makes a team that says the same', async () => {
    const script = [fence('python', 'hello'), 'It said hello.\n\nTERMINATE']
    const team = (model: ScriptedModel) =>
      new RoundRobinGroupChat({
        participants: [
          asChatAgent(new AssistantAgent({ name: 'writer', model })),
          new CodeExecutorAgent({ name: 'runner', executor: new EchoExecutor() }),
        ],
        terminationCondition: new TextMentionTermination({ text: 'TERMINATE' }),
      })
    const made = team(new ScriptedModel(script))
    const loaded = loadComponent(throughJson(made.toConfig()), {
      models: () => new ScriptedModel(script),
      expect: RoundRobinGroupChat,
    })
    const heard = await said(made)
    expect(heard).toHaveLength(5)
    expect(await said(loaded)).toEqual(heard)
  })

  it('asks for what its participants have left out, by its place', () => {
    const code = async () => ({ decision: 'allow' as const })
    const executor = new EchoExecutor({ redact: ['hunter2-hunter2'] })
    const team = new RoundRobinGroupChat({
      participants: [new CodeExecutorAgent({ name: 'runner', executor, ask: { code } })],
    })
    expect(() => team.toConfig()).toThrow(
      expect.objectContaining({
        code: 'NOT_CONFIGURABLE',
        data: { option: 'participants.0.ask', provider: 'CodeExecutorAgent' },
      }),
    )
    const config = throughJson(team.toConfig({ omit: ['participants.0.ask'] }))
    expect(JSON.stringify(config)).not.toContain('hunter2')
    expect(() => loadComponent(config)).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INCOMPLETE',
        data: {
          provider: 'RoundRobinGroupChat',
          option: 'participants.0.ask, participants.0.executor.redact',
        },
      }),
    )
    const overrides = { 'participants.0.ask': { code }, 'participants.0.executor': executor }
    const loaded = loadComponent(config, { overrides, expect: RoundRobinGroupChat })
    expect((loaded.options.participants[0] as CodeExecutorAgent).executor).toBe(executor)
  })

  it('lets you make the executors of all its participants, to stop them', async () => {
    const team = new RoundRobinGroupChat({
      participants: [
        new CodeExecutorAgent({ name: 'one', executor: 'echo' }),
        asChatAgent(new UserProxyAgent({ name: 'two', codeExecutionConfig: { executor: 'echo' } })),
      ],
    })
    const made: EchoExecutor[] = []
    {
      await using stack = new AsyncDisposableStack()
      loadComponent(throughJson(team.toConfig()), {
        executors: ({ name, options }) => {
          const executor = stack.use(createExecutor(name, options)) as EchoExecutor
          made.push(executor)
          return executor
        },
      })
    }
    expect(made.map(({ stops }) => stops)).toEqual([1, 1])
  })

  it('cannot have a participant that does not describe itself', () => {
    const team = new RoundRobinGroupChat({ participants: [new TestAgent('a')] })
    expect(() => team.toConfig()).toThrow(
      expect.objectContaining({
        code: 'NOT_CONFIGURABLE',
        data: { option: 'participants.0', provider: 'RoundRobinGroupChat' },
      }),
    )
  })
})
