import type { AskAbout } from '@fenced/core'
import { expect, it } from 'vitest'
import { CodeExecutorAgent } from '../code-executor-agent/code-executor-agent.ts'
import type { CodeExecutorAgentOptions } from '../code-executor-agent/options.ts'
import { UserProxyAgent } from '../conversable-agent/presets.ts'
import { EchoExecutor, fence } from '../reply/echo-executor.fixture.ts'
import { asChatAgent } from './as-chat-agent.ts'
import { RoundRobinGroupChat } from './round-robin-group-chat.ts'
import { itemsOf, TestAgent } from './test-agent.fixture.ts'

const task = `${fence('python', 'one')}\n\n${fence('sh', 'two')}`

/** Members that share an executor, so that it knows all that ran. */
function membersOf(executor: EchoExecutor) {
  return {
    coder: (name: string, options: Partial<CodeExecutorAgentOptions> = {}) =>
      new CodeExecutorAgent({ name, executor, ...options }),
    user: (name: string) =>
      asChatAgent(new UserProxyAgent({ name, humanInputMode: 'never', codeExecutionConfig: { executor } })),
  }
}

it('a program of a message is run by the first member that speaks, and the others report it', async () => {
  for (const kind of ['coder', 'user'] as const) {
    const executor = new EchoExecutor()
    const members = membersOf(executor)
    const participants = ['a', 'b', 'c'].map((name) => members[kind](name))
    const team = new RoundRobinGroupChat({ participants, maxTurns: 4 })
    const items = await itemsOf(team.run({ task }))
    expect(executor.ran).toEqual(['one', 'two'])
    const skipped = items.filter((item) => item.type === 'code-skipped')
    expect(skipped).toMatchObject(
      ['b', 'c'].map((agent) => ({
        agent,
        ranBy: 'a',
        blocks: [{ code: 'one' }, { code: 'two' }],
      })),
    )
    const [message] = items.filter((item) => item.type === 'message')
    expect(skipped[0]?.messageId).toBe(message?.message.id)
  }
})

it('a program is run by the first member that can run it', async () => {
  const executor = new EchoExecutor()
  const { coder } = membersOf(executor)
  const participants = [coder('python', { supportedLanguages: ['python'] }), coder('all')]
  const items = await itemsOf(new RoundRobinGroupChat({ participants, maxTurns: 2 }).run({ task }))
  const ran = items.flatMap((item) =>
    item.type === 'code' && item.event.type === 'block-start' ? `${item.agent} ${item.event.block.code}` : [],
  )
  expect(ran).toEqual(['python one', 'all two'])
})

it('a program is also run by a member whose sources name its author', async () => {
  const executor = new EchoExecutor()
  const { coder } = membersOf(executor)
  const participants = [coder('a'), coder('b', { sources: ['user'] }), coder('c')]
  const items = await itemsOf(new RoundRobinGroupChat({ participants, maxTurns: 3 }).run({ task }))
  expect(executor.ran).toEqual(['one', 'two', 'one', 'two'])
  expect(items.flatMap((item) => (item.type === 'code-skipped' ? item.agent : []))).toEqual(['c'])
})

it('a program of a team in a team is run once, also in a later run and after the state was loaded', async () => {
  const executor = new EchoExecutor()
  const teamOf = () => {
    const { coder, user } = membersOf(executor)
    const inner = new RoundRobinGroupChat({
      name: 'inner',
      participants: [coder('a'), coder('b')],
      maxTurns: 2,
    })
    return new RoundRobinGroupChat({ participants: [inner, user('a')], maxTurns: 1 })
  }
  const team = teamOf()
  await team.run({ task })
  const again = teamOf()
  await again.loadState(JSON.parse(JSON.stringify(await team.saveState())))
  for (const next of [team, again]) await next.run()
  expect(executor.ran).toEqual(['one', 'two'])
})

it('a program that was denied is not run by another member', async () => {
  const executor = new EchoExecutor()
  const { coder } = membersOf(executor)
  const participants = [coder('a', { ask: { code: () => ({ decision: 'deny', reason: 'no' }) } }), coder('b')]
  await new RoundRobinGroupChat({ participants, maxTurns: 2 }).run({ task })
  expect(executor.ran).toEqual([])
})

it('a program that was asked about when the team was saved is run by the member that asks again', async () => {
  for (const kind of ['coder', 'user'] as const) {
    const executor = new EchoExecutor()
    const teamOf = (approve: AskAbout<'code'>) => {
      const codeExecutionConfig = { executor }
      const asking = {
        coder: () => new CodeExecutorAgent({ name: 'a', executor, ask: { code: approve } }),
        user: () =>
          asChatAgent(
            new UserProxyAgent({
              name: 'a',
              humanInputMode: 'never',
              codeExecutionConfig,
              ask: { code: approve },
            }),
          ),
      }
      const participants = [asking[kind](), membersOf(executor).coder('b')]
      return new RoundRobinGroupChat({ participants, maxTurns: 2 })
    }
    const asked = Promise.withResolvers<void>()
    const stop = new AbortController()
    const waiting = teamOf(() => {
      asked.resolve()
      return new Promise(() => {})
    })
    const running = waiting.run({ task, signal: stop.signal })
    await asked.promise
    const state = JSON.parse(JSON.stringify(await waiting.saveState()))
    stop.abort()
    await running
    const team = teamOf(() => ({ decision: 'allow' }))
    await team.loadState(state)
    const items = await itemsOf(team.run())
    expect(executor.ran).toEqual(['one', 'two'])
    expect(items.flatMap((item) => (item.type === 'code-skipped' ? item.agent : []))).toEqual(['b'])
  }
})

it('a member without other words reports who ran the code', async () => {
  const { user } = membersOf(new EchoExecutor())
  const team = new RoundRobinGroupChat({ participants: [user('a'), user('b')], maxTurns: 2 })
  const { text } = await team.run({ task })
  expect(text).toBe(
    'The program in line 1 was not run again: a ran it.\nThe program in line 5 was not run again: a ran it.',
  )
})

it('the same program in two messages is run twice, and so is every program after a reset', async () => {
  const executor = new EchoExecutor()
  const { coder } = membersOf(executor)
  const participants = [new TestAgent('writer', [fence('sh', 'two')]), coder('a'), coder('b')]
  const team = new RoundRobinGroupChat({ participants, maxTurns: 6 })
  await team.run({ task: 'Begin.' })
  expect(executor.ran).toEqual(['two', 'two'])
  await team.reset()
  await team.run({ task: 'Begin.' })
  expect(executor.ran).toHaveLength(4)
})

it('a member that repeats its program with the same output asks its team to end', async () => {
  const { coder } = membersOf(new EchoExecutor())
  const participants = [new TestAgent('writer', [fence('sh', 'two')]), coder('a')]
  const team = new RoundRobinGroupChat({ participants, maxTurns: 10 })
  for (let run = 0; run < 2; run++) {
    const { events, messages } = await team.run({ task: 'Begin.' })
    const notices = events.flatMap((event) => (event.type === 'notice' ? event.notice.data?.count : []))
    expect(notices).toEqual(['3', '4', '5'])
    const stops = messages.map(({ metadata }) => metadata?.stop === true)
    expect(stops.indexOf(true)).toBe(messages.length - 1)
  }
})

it('a member whose program fails again and again in the same way asks its team to end', async () => {
  const { coder } = membersOf(new EchoExecutor())
  const participants = [new TestAgent('writer', [fence('sh', 'fail')]), coder('a')]
  const team = new RoundRobinGroupChat({ participants, maxTurns: 6 })
  const { messages } = await team.run({ task: 'Begin.' })
  expect(messages.map(({ metadata }) => metadata?.stop === true)).toEqual([
    ...[false, false, false, false, false, false],
    true,
  ])
})
