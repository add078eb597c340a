import { ToolLoopAgent } from 'ai'
import { describe, expect, it } from 'vitest'
import { codeOf } from '../agent/agents.fixture.ts'
import { AssistantAgent } from '../conversable-agent/presets.ts'
import type { EventInit } from '../event.ts'
import {
  FunctionalTermination,
  MaxMessageTermination,
  StopMessageTermination,
  TextMentionTermination,
} from '../termination/conditions.ts'
import { codeRun, stop, text, thought, toolsCalled } from '../termination/watch.fixture.ts'
import { ScriptedModel } from '../testing/scripted-model.ts'
import { asChatAgent, asTool } from './as-chat-agent.ts'
import { RoundRobinGroupChat } from './round-robin-group-chat.ts'
import { itemsOf, saidIn, TestAgent } from './test-agent.fixture.ts'

const team = (agents: TestAgent[], maxTurns?: number, options = {}) =>
  new RoundRobinGroupChat({ participants: agents, maxTurns, ...options })
const abc = () => ['a', 'b', 'c'].map((name) => new TestAgent(name))

describe('a team', () => {
  it('speaks in its order, and everybody hears what was said since the own last turn (TE-03)', async () => {
    const agents = abc()
    const { messages } = await team(agents, 5).run({ task: 'go' })
    expect(saidIn(messages)).toEqual(['user: go', "a: a's", "b: b's", "c: c's", "a: a's", "b: b's"])
    expect(agents.map(({ heard }) => heard.map(saidIn))).toEqual([
      [['user: go'], ["b: b's", "c: c's"]],
      [
        ['user: go', "a: a's"],
        ["c: c's", "a: a's"],
      ],
      [['user: go', "a: a's", "b: b's"]],
    ])
  })

  it('ends after so many turns, and the next run goes on with the following speaker (TE-04)', async () => {
    const agents = abc()
    const group = team(agents, 2)
    expect(await group.run({ task: 'go' })).toMatchObject({
      status: 'done',
      stopReason: 'Maximum number of turns 2 reached.',
    })
    const { messages, stopReason } = await group.run()
    expect(saidIn(messages)).toEqual(["c: c's", "a: a's"])
    expect(stopReason).toBe('Maximum number of turns 2 reached.')
    expect(saidIn((await group.run({ task: 'more' })).messages)).toEqual(['user: more', "b: b's", "c: c's"])
    expect(saidIn(agents[1]?.heard[1] ?? [])).toEqual(["c: c's", "a: a's", 'user: more'])
  })

  it('hands over a list of messages, and may keep the task to itself (TE-01)', async () => {
    const agents = abc()
    const task = [text('user', 'one'), text('boss', 'two')]
    const run = team(agents, 1).run({ task, outputTaskMessages: false })
    const items = await itemsOf(run)
    expect(items.map(({ type }) => type)).toEqual(['task-start', 'message', 'task-end'])
    expect(saidIn((await run).messages)).toEqual(["a: a's"])
    expect(agents[0]?.heard).toEqual([task])
  })

  it('takes a single message as its task', async () => {
    const { messages } = await team(abc(), 1).run({ task: stop('boss', 'go') })
    expect(saidIn(messages)).toEqual(['boss: go', "a: a's"])
  })

  it.each<[string, unknown]>([
    ['an empty list', []],
    ['something that is no message', ['go']],
  ])('refuses %s as a task (TE-01)', async (_, task) => {
    const group = team(abc(), 1)
    expect(await codeOf(() => group.run({ task: task as never }))).toBe('INVALID_TASK')
    expect(saidIn((await group.run({ task: 'go' })).messages)).toHaveLength(2)
  })

  it('says who comes next where that is asked for', async () => {
    const group = team(abc(), 2, { emitTeamEvents: true, name: 'trio' })
    const { events } = await group.run({ task: 'go' })
    expect(events.map(({ type, agent }) => `${type} ${agent}`)).toEqual([
      'task-start trio',
      'message user',
      'speaker-selected trio',
      'message a',
      'speaker-selected trio',
      'message b',
    ])
    expect(events[4]).toMatchObject({ speakers: ['b'] })
  })

  it('has a name and a description', () => {
    expect(team(abc())).toMatchObject({ name: 'RoundRobinGroupChat' })
    expect(team(abc(), 1, { name: 'x', description: 'y' })).toMatchObject({ name: 'x', description: 'y' })
  })

  it.each<[string, object]>([
    ['nobody', { participants: [] }],
    ['two of the same name', { participants: [new TestAgent('a'), new TestAgent('a')] }],
    ['something that is no agent', { participants: [{ name: 'a' }] }],
    ['an AI SDK agent without an id', { participants: [{ stream: () => {} }] }],
    ['no turns', { participants: abc(), maxTurns: 0 }],
    ['something that is no condition', { participants: abc(), terminationCondition: () => true }],
    ['an unknown option', { participants: abc(), turns: 1 }],
  ])('is not made of %s (TE-02)', async (_, options) => {
    expect(await codeOf(() => new RoundRobinGroupChat(options as never))).toBe('INVALID_OPTIONS')
  })
})

it('takes agents of the 0.2 family and of the AI SDK as they are', async () => {
  const writer = new AssistantAgent({ name: 'writer', model: new ScriptedModel(['A draft.']) })
  const critic = new ToolLoopAgent({ id: 'critic', model: new ScriptedModel(['Shorter, please.']) })
  const participants = [writer, critic, asChatAgent(new AssistantAgent({ name: 'silent' }))]
  const { messages } = await new RoundRobinGroupChat({ participants, maxTurns: 2 }).run('Write.')
  expect(saidIn(messages)).toEqual(['user: Write.', 'writer: A draft.', 'critic: Shorter, please.'])
  const task = asTool(new AssistantAgent({ name: 'helper', model: new ScriptedModel(['Done.']) }))
  expect([task.name, await task.execute({ task: 'Help.' })]).toEqual(['helper', 'Done.'])
})

describe('what is iterated', () => {
  const chunk = (agent: string, text: string): EventInit => ({ type: 'text-delta', agent, text })
  const output = (agent: string): EventInit => ({
    type: 'code',
    agent,
    retryAttempt: 0,
    event: { type: 'stdout', index: 0, text: '1\n' },
  })
  const busy = () =>
    new TestAgent('a', async ({ emit }) => {
      await emit(chunk('a', 'Hel'))
      await emit(chunk('a', 'lo.'))
      await emit(thought('a', 'Hm.'))
      await emit(output('a'))
      await emit(codeRun('a', '1\n'))
      await emit(toolsCalled('a', 'add'))
      return 'Hello.'
    })
  const types = (items: readonly { readonly type: string }[]) => items.map(({ type }) => type)

  it('is what the result holds, but for pieces, and the result (D-36)', async () => {
    const run = team([busy()], 1).run({ task: 'go' })
    const items = await itemsOf(run)
    const whole = ['task-start', 'message', 'thought', 'code-end', 'tool-results', 'message']
    const result = await run
    expect(types(result.events)).toEqual(whole)
    expect(items.slice(0, -1).filter((item) => result.events.includes(item))).toEqual(result.events)
    expect(saidIn(result.messages)).toEqual(['user: go', 'a: Hello.'])
    expect(types(items)).toEqual([
      'task-start',
      'message',
      'text-delta',
      'text-delta',
      'thought',
      'code',
      'code-end',
      'tool-results',
      'message',
      'task-end',
    ])
    expect(items.at(-1)).toMatchObject({ type: 'task-end', result })
  })

  it('is in the result as well where nobody iterates (GT-09)', async () => {
    const { events } = await team([busy()], 1).run({ task: 'go' })
    expect(types(events)).toHaveLength(6)
  })

  it('is not told to other agents, but for messages', async () => {
    const other = new TestAgent('b')
    await team([busy(), other], 2).run({ task: 'go' })
    expect(saidIn(other.heard[0] ?? [])).toEqual(['user: go', 'a: Hello.'])
  })

  it('is plain data', async () => {
    const items = await itemsOf(team([busy()], 1).run({ task: 'go' }))
    expect(JSON.parse(JSON.stringify(items))).toEqual(items)
  })
})

describe('a termination condition', () => {
  it('is asked after every turn, and has been told of everything once (TE-05, TC-01)', async () => {
    const told: string[][] = []
    const terminationCondition = new FunctionalTermination({
      isMet: (items) => {
        told.push(saidIn(items))
        return told.length === 2
      },
      reason: 'Twice.',
    })
    const speaker = new TestAgent('a', async ({ emit }) => {
      await emit(thought('a', 'Hm.'))
      return 'x'
    })
    const { events, stopReason } = await team([speaker, new TestAgent('b')], 9, {
      terminationCondition,
    }).run({
      task: 'go',
    })
    expect(stopReason).toBe('Twice.')
    expect(told).toEqual([['a: Hm.', 'a: x'], ["b: b's"]])
    expect(saidIn(events)).toEqual(['user: go', 'a: Hm.', 'a: x', "b: b's"])
  })

  it('can end it before anybody has spoken', async () => {
    const terminationCondition = new MaxMessageTermination({ maxMessages: 1 })
    const { messages, stopReason } = await team(abc(), 9, { terminationCondition }).run({ task: 'go' })
    expect(saidIn(messages)).toEqual(['user: go'])
    expect(stopReason).toContain('current message count: 1')
  })

  it('that was met begins again with the next run (TE-05)', async () => {
    const terminationCondition = new MaxMessageTermination({ maxMessages: 3 })
    const group = team(abc(), undefined, { terminationCondition })
    for (const expected of [
      ['user: go', "a: a's", "b: b's"],
      ['user: go', "c: c's", "a: a's"],
    ]) {
      expect(saidIn((await group.run({ task: 'go' })).messages)).toEqual(expected)
    }
    expect(saidIn((await group.run()).messages)).toEqual(["b: b's", "c: c's", "a: a's"])
  })

  it('comes before the limit of turns', async () => {
    const terminationCondition = new StopMessageTermination()
    const group = team([new TestAgent('a', () => stop('a', 'Bye.'))], 1, { terminationCondition })
    expect(await group.run({ task: 'go' })).toMatchObject({ stopReason: 'Stop message received' })
  })

  it('that looks for a word in what is said lets a task speak of that word', async () => {
    const terminationCondition = new TextMentionTermination({ text: 'DONE' })
    const group = team([new TestAgent('a', ['x', 'DONE'])], undefined, { terminationCondition })
    const { messages } = await group.run({ task: 'Say DONE at the end.' })
    expect(saidIn(messages)).toEqual(['user: Say DONE at the end.', 'a: x', 'a: DONE'])
  })

  it('that throws ends the run with its error, and the team goes on after that (TE-06)', async () => {
    let isBroken = true
    const terminationCondition = new FunctionalTermination({
      isMet: () => {
        if (isBroken) throw new Error('broken condition')
        return true
      },
    })
    const group = team(abc(), undefined, { terminationCondition })
    await expect(group.run({ task: 'go' })).rejects.toThrow('broken condition')
    isBroken = false
    expect(saidIn((await group.run()).messages)).toEqual(["b: b's"])
  })
})

it('goes on for thousands of turns', async () => {
  const agents = abc()
  const { messages } = await team(agents, 6000).run({ task: 'go' })
  expect(messages).toHaveLength(6001)
  expect(agents[0]?.heard.at(-1)).toHaveLength(2)
})
