import { ApprovalQueue, type AskFunction } from '@fenced/core'
import { describe, expect, it } from 'vitest'
import { CodeExecutorAgent } from '../src/code-executor-agent/code-executor-agent.ts'
import type { AgentState } from '../src/event.ts'
import type { TaskRunner } from '../src/task/chat-agent.ts'
import { callsTool, code, kinds, World } from './asking-runners.fixture.ts'

/** A queue that rejects the first question, and the ids of all questions. */
function unreachableAtFirst(): { questions: ApprovalQueue; ids: string[] } {
  const questions = new ApprovalQueue()
  const { ask } = questions
  const ids: string[] = []
  const rejecting: AskFunction = async (request, options) => {
    if (ids.push(request.id) === 1) throw new Error('no terminal')
    return await ask(request, options)
  }
  return { questions: Object.assign(questions, { ask: rejecting }), ids }
}

/** The state of a runner, as JSON, that was saved while a question was open. */
async function stateWithQuestion(make: (world: World) => TaskRunner): Promise<AgentState> {
  const questions = new ApprovalQueue()
  const world = new World(questions, { continues: false })
  const saved = make(world)
  const stop = new AbortController()
  const running = saved.run({ task: code, signal: stop.signal })
  await expect.poll(() => questions.pending.length, { interval: 5 }).toBe(1)
  const state = JSON.parse(JSON.stringify(await saved.saveState()))
  stop.abort()
  await running
  expect(world.done).toEqual([])
  return state
}

type Kind = (typeof kinds)[number]

async function expectRefused(
  state: AgentState,
  { make, asked }: { readonly make: Kind[1]; readonly asked: Kind[2] },
): Promise<void> {
  const loading = make(new World())
  await expect(loading.loadState(state)).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED', data: asked })
}

async function expectAskedAgain(
  runner: TaskRunner,
  { questions, ids, world }: ReturnType<typeof unreachableAtFirst> & { readonly world: World },
): Promise<void> {
  const running = runner.run()
  await expect.poll(() => questions.pending.length, { interval: 5 }).toBe(1)
  if (runner instanceof CodeExecutorAgent) expect(ids[1]).toBe(ids[0])
  expect(world.done).toEqual([])
  questions.answer(ids[1] ?? '', { decision: 'allow' })
  expect((await running).status).toBe('done')
  expect(world.done).toHaveLength(1)
}

describe('an open question in a saved state', () => {
  it.each(kinds)('is refused where there is no approver, and nothing changes: %s', async (_, make, asked) => {
    const state = await stateWithQuestion(make)
    const world = new World()
    const loading = make(world)
    const before = await loading.saveState()
    await expect(loading.loadState(state)).rejects.toMatchObject({
      code: 'APPROVAL_REQUIRED',
      data: { ...asked, question: expect.any(String) },
    })
    expect(await loading.saveState()).toEqual(before)
    expect(world.done).toEqual([])
  })

  it.each(kinds)('is denied on request, and nothing of it runs then or later: %s', async (_, make) => {
    const state = await stateWithQuestion(make)
    const world = new World()
    const loading = make(world)
    await loading.loadState(state, { onQuestion: 'deny' })
    const denied = await loading.saveState()
    // The denial is in the state: another process needs no decision, and runs nothing either.
    const other = new World()
    const elsewhere = make(other)
    await elsewhere.loadState(JSON.parse(JSON.stringify(denied)))
    for (const runner of [loading, elsewhere]) {
      const { events } = await runner.run()
      expect(JSON.stringify([events, await runner.saveState()])).toContain('denied when the state was loaded')
      await runner.run('Go on.')
      expect((await runner.run()).status).toBe('done')
    }
    expect([world.done, other.done]).toEqual([[], []])
  })

  it.each(kinds)('is asked again where there is an approver: %s', async (_, make) => {
    const state = await stateWithQuestion(make)
    const questions = new ApprovalQueue()
    const world = new World(questions)
    const loading = make(world)
    await loading.loadState(state)
    expect(await loading.saveState()).toEqual(state)
    const running = loading.run()
    await expect.poll(() => questions.pending.length, { interval: 5 }).toBe(1)
    expect(world.done).toEqual([])
    questions.answer(questions.pending[0]?.id ?? '', { decision: 'allow' })
    expect((await running).status).toBe('done')
    expect(world.done).toHaveLength(1)
  })

  it('is asked again where the tool itself no longer asks', async () => {
    const removing = (world: World, needsApproval: boolean) =>
      new CodeExecutorAgent({
        ...{ name: 'coder', model: world.says(callsTool), executor: world.executor },
        ...{ tools: world.tools({ needsApproval }), ...world.asksAboutTools },
      })
    const state = await stateWithQuestion((world) => removing(world, true))
    const questions = new ApprovalQueue()
    const world = new World(questions)
    const loading = removing(world, false)
    await loading.loadState(state)
    const { id: after } = loading.pendingApproval ?? expect.fail()
    const running = loading.run()
    await expect.poll(() => questions.pending, { interval: 5 }).toMatchObject([{ after }])
    questions.answer(questions.pending[0]?.id ?? '', { decision: 'deny', reason: 'No.' })
    await running
    expect(world.done).toEqual([])
  })

  it('stays open when the run that asks it again is cancelled', async () => {
    for (const [, make] of kinds) {
      const state = await stateWithQuestion(make)
      const loading = make(new World(new ApprovalQueue()))
      await loading.loadState(state)
      await loading.run({ signal: AbortSignal.abort() })
      const elsewhere = make(new World())
      await expect(elsewhere.loadState(await loading.saveState())).rejects.toMatchObject({
        code: 'APPROVAL_REQUIRED',
      })
    }
  })

  // A tool is denied where nobody can be reached.
  const notTools = kinds.filter(([, , { kind }]) => kind !== 'tool')

  it.each(notTools)('stays open when the approver cannot be reached: %s', async (_, make, asked) => {
    const state = await stateWithQuestion(make)
    const { questions, ids } = unreachableAtFirst()
    const world = new World(questions)
    const loading = make(world)
    await loading.loadState(state)
    await expect(loading.run()).rejects.toThrow('no terminal')
    await expectRefused(await loading.saveState(), { make, asked })
    await expectAskedAgain(loading, { questions, ids, world })
  })

  it.each(notTools)('is in the state after its approver could not be reached: %s', async (_, make, asked) => {
    const { questions, ids } = unreachableAtFirst()
    const world = new World(questions, { continues: false })
    const runner = make(world)
    await expect(runner.run({ task: code })).rejects.toThrow('no terminal')
    await expectRefused(await runner.saveState(), { make, asked })
    await expectAskedAgain(runner, { questions, ids, world })
  })

  it('is refused for another value of the option', async () => {
    const [[, make] = expect.fail()] = kinds
    const state = await stateWithQuestion(make)
    const loading = make(new World())
    const wrong = { onQuestion: 'allow' } as never
    await expect(loading.loadState(state, wrong)).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
  })
})
