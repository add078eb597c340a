import { afterEach, describe, expect, it, vi } from 'vitest'
import type { AgentState } from '../event.ts'
import { TimeoutTermination } from '../termination/conditions.ts'
import { RoundRobinGroupChat } from './round-robin-group-chat.ts'
import { itemsOf, saidIn, TestAgent, untilCancelled } from './test-agent.fixture.ts'

function nested(maxTurns = 3) {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => new TestAgent(name)) as [
    TestAgent,
    TestAgent,
    TestAgent,
    TestAgent,
  ]
  const inner = new RoundRobinGroupChat({ name: 'inner', participants: [b, c], maxTurns: 2 })
  const outer = new RoundRobinGroupChat({ name: 'outer', participants: [a, inner, d], maxTurns })
  return { a, b, c, d, inner, outer }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('a team in a team', () => {
  it('speaks in its turn until its own end, and all hear what was said in it', async () => {
    const { a, b, d, outer } = nested(4)
    const { messages } = await outer.run({ task: 'go' })
    expect(saidIn(messages)).toEqual(['user: go', "a: a's", "b: b's", "c: c's", "d: d's", "a: a's"])
    expect(b.heard.map(saidIn)).toEqual([['user: go', "a: a's"]])
    expect(d.heard.map(saidIn)).toEqual([['user: go', "a: a's", "b: b's", "c: c's"]])
    expect(a.heard.map(saidIn)).toEqual([['user: go'], ["b: b's", "c: c's", "d: d's"]])
  })

  it('is iterated like one', async () => {
    const { outer } = nested()
    const run = outer.run({ task: 'go' })
    const items = await itemsOf(run)
    expect(items.map(({ type }) => type)).toEqual(['task-start', ...Array(5).fill('message'), 'task-end'])
    expect((await run).events).toEqual(items.slice(0, -1))
  })

  it('is saved and loaded and reset with it', async () => {
    const one = nested(2)
    await one.outer.run({ task: 'go' })
    const state: AgentState = JSON.parse(JSON.stringify(await one.outer.saveState()))
    const other = nested(2)
    await other.outer.loadState(state)
    expect(saidIn((await other.outer.run()).messages)).toEqual(["d: d's", "a: a's"])
    expect(saidIn((await other.outer.run()).messages)).toEqual(["b: b's", "c: c's", "d: d's"])
    await other.outer.reset()
    expect(other.c.heard).toEqual([])
  })

  it('that is cancelled in the middle is not told again, and the others hear what was said in it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const hangs = new TestAgent('c', (turn) => {
      if (turn.turn > 0) return 'c at last'
      vi.advanceTimersByTime(50)
      return untilCancelled(turn)
    })
    const b = new TestAgent('b')
    const d = new TestAgent('d')
    const inner = new RoundRobinGroupChat({ name: 'inner', participants: [b, hangs], maxTurns: 2 })
    const outer = new RoundRobinGroupChat({
      participants: [inner, d],
      maxTurns: 2,
      terminationCondition: new TimeoutTermination({ timeoutMs: 50 }),
    })
    const first = await outer.run({ task: 'go' })
    expect(first).toMatchObject({ status: 'done', stopReason: 'Timeout of 50 ms reached' })
    expect(saidIn(first.messages)).toEqual(['user: go', "b: b's"])
    expect(saidIn((await outer.run()).messages)).toEqual(['c: c at last', "b: b's", "d: d's"])
    expect(d.heard.map(saidIn)).toEqual([['user: go', "b: b's", 'c: c at last', "b: b's"]])
    expect(b.heard.map(saidIn)).toEqual([['user: go'], ['c: c at last']])
  })

  it('that fails says where', async () => {
    const broken = new TestAgent('b', () => {
      throw new Error('no model')
    })
    const inner = new RoundRobinGroupChat({ name: 'inner', participants: [broken] })
    const outer = new RoundRobinGroupChat({ name: 'outer', participants: [inner] })
    await expect(outer.run({ task: 'go' })).rejects.toMatchObject({
      code: 'AGENT_FAILED',
      data: { agent: 'inner', team: 'outer' },
      cause: {
        code: 'AGENT_FAILED',
        data: { agent: 'b', team: 'inner', reason: 'no model' },
        cause: { message: 'no model' },
      },
    })
  })
})
