import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApprovalQueue, fileLedger } from '@fenced/core'
import { ToolLoopAgent } from 'ai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CodeExecutorAgent } from '../src/code-executor-agent/code-executor-agent.ts'
import type { AgentState, TaskResult } from '../src/event.ts'
import { EchoExecutor } from '../src/reply/echo-executor.fixture.ts'
import type { QuestionAnswers } from '../src/running/questions.ts'
import { asChatAgent } from '../src/team/as-chat-agent.ts'
import type { RoundRobinGroupChat } from '../src/team/round-robin-group-chat.ts'
import { ScriptedModel } from '../src/testing/scripted-model.ts'
import { code, kinds, nesting, teamOf, World } from './asking-runners.fixture.ts'
import { program } from './code-executor-agent/solving.fixture.ts'

type Resumable = Pick<RoundRobinGroupChat, 'run' | 'resume'>

/** These agents ask questions that end with their process. */
const others = ['CodeExecutorAgent: askingExecutor', 'ConversableAgent with a nested conversation']
const suspendable = kinds.filter(([name]) => !others.includes(name))

let path: string
beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), 'fenced-suspend-'))
})
afterAll(() => rm(path, { recursive: true, force: true }))

/** What an agent can reach in another process: a state that was JSON, the same ledger, and an approver that never answers. */
function elsewhere(): World {
  return new World(new ApprovalQueue(), { ledger: fileLedger(path) })
}

function suspended(make: (world: World) => unknown): { readonly world: World; readonly runner: Resumable } {
  const world = new World(new ApprovalQueue(), { ledger: fileLedger(path), continues: false })
  return { world, runner: make(world) as Resumable }
}

async function waitingState(make: (world: World) => unknown): Promise<AgentState> {
  const { world, runner } = suspended(make)
  const result = await runner.run({ task: code, onQuestion: 'suspend' })
  expect(result).toMatchObject({ status: 'waiting', stopReason: 'It waits for an answer.' })
  expect(world.done).toEqual([])
  expect(world.questions?.pending).toEqual([])
  return JSON.parse(JSON.stringify(result.state))
}

/** Answers every question of a result, as an approver or a person does. */
function allowed({ questions = [] }: Pick<TaskResult, 'questions'>): QuestionAnswers {
  return Object.fromEntries(
    questions.map(({ request: { id, kind } }) => [id, kind === 'code' || kind === 'tool' ? 'allow' : '']),
  )
}

/** What a state keeps beside the questions, and their ids: a repeated question says that it needs an answer. */
function withoutQuestions(state: AgentState) {
  const ids: string[] = []
  const memory = JSON.stringify(state, (key, value) => {
    if (key !== 'questions') return value
    ids.push(...value.map(({ request }: { request: { id: string } }) => request.id))
    return undefined
  })
  return { questions: ids, memory: JSON.parse(memory) }
}

describe('a run whose questions wait', () => {
  it.each(suspendable)('continues elsewhere with the answer: %s', async (_, make, { agent, kind }) => {
    const { world, runner } = suspended(make)
    const result = await runner.run({ task: code, onQuestion: 'suspend' })
    expect(result).toMatchObject({ status: 'waiting', questions: [{ agent, request: { kind } }] })
    expect(world.done).toEqual([])
    const there = elsewhere()
    const resumed = await (make(there) as unknown as Resumable).resume(
      JSON.parse(JSON.stringify(result.state)),
      allowed(result),
    )
    expect([resumed.status, there.done.length, world.done]).toEqual(['done', 1, []])
    expect(there.questions?.pending).toEqual([])
  })

  it.each(suspendable)('waits again without an answer, with the same question: %s', async (_, make) => {
    const state = await waitingState(make)
    const there = elsewhere()
    const again = await (make(there) as unknown as Resumable).resume(state, {})
    expect([again.status, there.done]).toEqual(['waiting', []])
    expect(withoutQuestions(again.state ?? expect.fail())).toEqual(withoutQuestions(state))
  })

  // A reply of a person is no permission that a ledger records.
  const recorded = suspendable.filter(([, , { kind }]) => kind !== 'reply')

  it.each(recorded)('runs its program once, however many resume it: %s', async (_, make) => {
    const { runner } = suspended(make)
    const { state = expect.fail(), ...result } = await runner.run({ task: code, onQuestion: 'suspend' })
    const worlds = [elsewhere(), elsewhere(), elsewhere()]
    await Promise.allSettled(
      worlds.map((there) => (make(there) as unknown as Resumable).resume(state, allowed(result))),
    )
    expect(worlds.flatMap(({ done }) => done)).toHaveLength(1)
  })

  it('denies with the reason that the answer gives', async () => {
    const world = elsewhere()
    const runner = new CodeExecutorAgent({ name: 'runner', executor: world.executor, ledger: world.ledger })
    const { state = expect.fail(), questions } = await runner.run({ task: code, onQuestion: 'suspend' })
    const id = questions?.[0]?.request.id ?? ''
    const { text } = await runner.resume(state, { [id]: { decision: 'deny', reason: 'Not today.' } })
    expect([text, world.done]).toEqual([expect.stringContaining('Not today.'), []])
  })

  it('asks about code although the agent has no `ask`', async () => {
    const world = elsewhere()
    const runner = new CodeExecutorAgent({ name: 'runner', executor: world.executor, ledger: world.ledger })
    expect((await runner.run({ task: code, onQuestion: 'suspend' })).status).toBe('waiting')
    expect(world.done).toEqual([])
    // A run that would not ask is refused: the question is still open.
    await expect(runner.run()).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' })
  })

  it('answers all questions of one message', async () => {
    const make = (world: World) => {
      const call = (name: string) => ({ name, input: {} })
      const both = { toolCalls: [call('remove'), call('remove')] }
      return new CodeExecutorAgent({
        ...{ name: 'coder', model: world.says(both), executor: world.executor },
        ...{ tools: world.tools({ needsApproval: true }), ledger: world.ledger },
      })
    }
    const { runner } = suspended(make)
    const result = await runner.run({ task: 'Tidy up.', onQuestion: 'suspend' })
    expect(result.questions).toHaveLength(2)
    const [first, second] = Object.entries(allowed(result)) as [[string, 'allow'], [string, 'allow']]
    const there = elsewhere()
    const half = await make(there).resume(result.state ?? expect.fail(), Object.fromEntries([first]))
    expect([half.status, there.calls.length]).toEqual(['waiting', 1])
    expect(half.questions?.map(({ request }) => request.id)).toEqual([second[0]])
    const last = elsewhere()
    const whole = await make(last).resume(half.state ?? expect.fail(), Object.fromEntries([second]))
    expect([whole.status, last.calls.length]).toEqual(['done', 1])
  })

  it('needs a ledger that other processes can reach', async () => {
    const agents = [
      new CodeExecutorAgent({ name: 'runner', executor: new EchoExecutor() }),
      teamOf(new CodeExecutorAgent({ name: 'runner', executor: new EchoExecutor() })),
      asChatAgent(new ToolLoopAgent({ id: 'runner', model: new ScriptedModel([]) })),
    ]
    for (const agent of agents)
      await expect(agent.run({ task: code, onQuestion: 'suspend' })).rejects.toMatchObject({
        code: 'LEDGER_NOT_SHARED',
        data: { agent: 'runner', option: 'ledger' },
      })
  })

  it('refuses a question in a nested conversation, which is no data', async () => {
    const { world, runner } = suspended((there) => asChatAgent(nesting(there)))
    await expect(runner.run({ task: code, onQuestion: 'suspend' })).rejects.toMatchObject({
      code: 'NOT_SUSPENDABLE',
      data: { agent: 'outer', what: 'a nested conversation' },
    })
    expect(world.done).toEqual([])
  })

  it('refuses answers to other questions, and answers of another kind', async () => {
    const make = ({ executor, ledger }: World) => new CodeExecutorAgent({ name: 'runner', executor, ledger })
    const state = await waitingState(make)
    const id = JSON.parse(JSON.stringify(state)).turn.questions[0].request.id
    const refused = async (answers: QuestionAnswers, error: string) => {
      const there = elsewhere()
      await expect(make(there).resume(state, answers)).rejects.toMatchObject({ code: error })
      expect(there.done).toEqual([])
    }
    await refused({ [crypto.randomUUID()]: 'allow' }, 'UNKNOWN_APPROVAL')
    await refused({ [id]: 'yes' }, 'INVALID_APPROVAL')
    await refused({ [id]: { decision: 'edit', blocks: [] } }, 'INVALID_APPROVAL')
  })

  it('asks again about a program that was changed in the state', async () => {
    const make = ({ executor, ledger }: World) => new CodeExecutorAgent({ name: 'runner', executor, ledger })
    const state = await waitingState(make)
    const id = JSON.parse(JSON.stringify(state)).turn.questions[0].request.id
    const changed = JSON.parse(JSON.stringify(state).replaceAll('print(1)', 'print(2)'))
    const there = elsewhere()
    const result = await make(there).resume(changed, { [id]: 'allow' })
    expect([result.status, there.done]).toEqual(['waiting', []])
    expect(result.questions?.map(({ request }) => request.id)).not.toContain(id)
  })

  it('goes on with the run after the question, and waits at the next one', async () => {
    const make = (world: World) =>
      new CodeExecutorAgent({
        ...{ name: 'coder', executor: world.executor, ledger: world.ledger, maxRetriesOnError: 1 },
        model: new ScriptedModel(world.continues ? ['It is 1.'] : [program('print(1)')]),
      })
    const { runner } = suspended(make)
    const first = await runner.run({ task: 'What is it?', onQuestion: 'suspend' })
    const there = elsewhere()
    const running = make(there).resume(first.state ?? expect.fail(), allowed(first))
    const types: string[] = []
    for await (const { type } of running) types.push(type)
    expect(types.slice(0, 2)).toEqual(['task-start', 'code-generated'])
    expect(types.filter((type) => type.startsWith('approval'))).toEqual([
      'approval-requested',
      'approval-answered',
    ])
    expect((await running).text).toBe('It is 1.')
  })
})
