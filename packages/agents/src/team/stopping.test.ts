import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { codeOf } from '../agent/agents.fixture.ts'
import { microtasks } from '../microtasks.fixture.ts'
import {
  ExternalTermination,
  FunctionalTermination,
  TextMentionTermination,
  TimeoutTermination,
} from '../termination/conditions.ts'
import { codeRun, thought } from '../termination/watch.fixture.ts'
import { RoundRobinGroupChat } from './round-robin-group-chat.ts'
import { itemsOf, saidIn, TestAgent, type TestTurn, untilCancelled } from './test-agent.fixture.ts'

/** Says something on the way, and comes to no end in its first turn. */
const hanging = (name: string) =>
  new TestAgent(name, async (turn) => {
    await turn.emit(thought(name, `thinks ${turn.turn}`))
    return turn.turn === 0 ? untilCancelled(turn) : 'at last'
  })

describe('a run that is cancelled', () => {
  it('by a signal ends with what there is, and goes on with the same speaker (TE-07)', async () => {
    const controller = new AbortController()
    const [a, b] = [new TestAgent('a'), hanging('b')]
    const group = new RoundRobinGroupChat({ participants: [a, b], maxTurns: 2 })
    const run = group.run({ task: 'go', signal: controller.signal })
    for await (const item of run) if (item.type === 'thought') controller.abort()
    const result = await run
    expect(result).toMatchObject({ status: 'cancelled', stopReason: 'It was cancelled.' })
    expect(saidIn(result.events)).toEqual(['user: go', "a: a's", 'b: thinks 0'])
    expect([a.isAnswering, b.isAnswering]).toEqual([false, false])
    expect(saidIn((await group.run()).events)).toEqual(['b: thinks 1', 'b: at last', "a: a's"])
    // What it was told it remembers, and it is not told twice.
    expect(b.heard.map(saidIn)).toEqual([['user: go', "a: a's"], []])
  })

  it('by leaving the loop waits until nobody speaks', async () => {
    let hasStopped = false
    const slow = new TestAgent('a', async (turn) => {
      await turn.emit(thought('a', 'x'))
      await untilCancelled(turn).catch(() => {})
      await microtasks()
      hasStopped = true
      return 'x'
    })
    const run = new RoundRobinGroupChat({ participants: [slow] }).run({ task: 'go' })
    for await (const item of run) if (item.type === 'thought') break
    expect(hasStopped).toBe(true)
    expect((await run).status).toBe('cancelled')
  })

  it('before it began has told everybody of the task', async () => {
    const a = new TestAgent('a')
    const group = new RoundRobinGroupChat({ participants: [a], maxTurns: 1 })
    const result = await group.run({ task: 'go', signal: AbortSignal.abort() })
    expect(result.status).toBe('cancelled')
    expect(a.heard).toEqual([])
    await group.run()
    expect(a.heard.map(saidIn)).toEqual([['user: go']])
  })

  it('at any place ends, leaves nothing running, and the team goes on', async () => {
    const agents = () =>
      ['a', 'b'].map(
        (name) =>
          new TestAgent(name, async ({ emit }) => {
            await emit(thought(name, 'x'))
            await emit(codeRun(name, '1\n'))
            return name
          }),
      )
    const items = await itemsOf(
      new RoundRobinGroupChat({ participants: agents(), maxTurns: 3 }).run({ task: 'go' }),
    )
    for (let place = 0; place < items.length; place++) {
      for (const how of ['signal', 'leaving'] as const) {
        const participants = agents()
        const group = new RoundRobinGroupChat({ participants, maxTurns: 3 })
        const controller = new AbortController()
        const run = group.run({ task: 'go', signal: controller.signal })
        let seen = 0
        for await (const _ of run) {
          if (seen++ !== place) continue
          if (how === 'leaving') break
          controller.abort()
        }
        const { status, events } = await run
        expect(['done', 'cancelled']).toContain(status)
        expect(events.length).toBeGreaterThanOrEqual(Math.min(place, items.length - 2))
        expect(participants.some(({ isAnswering }) => isAnswering)).toBe(false)
        expect((await group.run()).status).toBe('done')
      }
    }
  })

  it('while a condition is asked does not wait for that', async () => {
    const controller = new AbortController()
    const seen: AbortSignal[] = []
    const terminationCondition = new FunctionalTermination({
      isMet: (_, { signal }) => {
        seen.push(signal)
        controller.abort()
        return new Promise(() => {})
      },
    })
    const group = new RoundRobinGroupChat({ participants: [new TestAgent('a')], terminationCondition })
    expect((await group.run({ task: 'go', signal: controller.signal })).status).toBe('cancelled')
    expect(seen.map(({ aborted }) => aborted)).toEqual([true])
  })
})

describe('a deadline', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('cancels who is speaking, and what was said and done stays (D-47)', async () => {
    const late = new TestAgent('b', async (turn) => {
      await turn.emit(thought('b', `thinks ${turn.turn}`))
      vi.advanceTimersByTime(turn.turn === 0 ? 50 : 49)
      return turn.turn === 0 ? untilCancelled(turn) : 'at last'
    })
    const group = new RoundRobinGroupChat({
      participants: [new TestAgent('a'), late],
      terminationCondition: new TimeoutTermination({ timeoutMs: 50 }),
      maxTurns: 2,
    })
    const result = await group.run({ task: 'go' })
    expect(result).toMatchObject({ status: 'done', stopReason: 'Timeout of 50 ms reached' })
    expect(saidIn(result.events)).toEqual(['user: go', "a: a's", 'b: thinks 0'])
    // Every run has the whole time.
    expect(saidIn((await group.run()).events)).toEqual(['b: thinks 1', 'b: at last', "a: a's"])
  })

  it('keeps what a speaker still tells when it is cancelled', async () => {
    const program = new TestAgent('a', async (turn: TestTurn) => {
      vi.advanceTimersByTime(20)
      await untilCancelled(turn).catch(() => {})
      await turn.emit(codeRun('a', 'half of it\n'))
      turn.signal.throwIfAborted()
      return 'x'
    })
    const terminationCondition = new TimeoutTermination({ timeoutMs: 20 })
    const run = new RoundRobinGroupChat({ participants: [program], terminationCondition }).run({ task: 'go' })
    const items = await itemsOf(run)
    expect(items.map(({ type }) => type)).toEqual(['task-start', 'message', 'code-end', 'task-end'])
    expect(saidIn((await run).events)).toEqual(['user: go', 'a: half of it\n'])
  })

  it('combined with a condition that is not met lets them speak on', async () => {
    const terminationCondition = new TimeoutTermination({ timeoutMs: 10 }).and(
      new TextMentionTermination({ text: 'DONE' }),
    )
    const slow = new TestAgent('a', async ({ turn }) => {
      vi.advanceTimersByTime(15)
      return turn === 2 ? 'DONE' : 'x'
    })
    const { messages, stopReason } = await new RoundRobinGroupChat({
      participants: [slow],
      terminationCondition,
    }).run({ task: 'go' })
    expect(stopReason).toBe("Timeout of 10 ms reached, Text 'DONE' mentioned")
    expect(messages).toHaveLength(4)
  })
})

it('an end from outside lets the turn at hand finish (TE-07)', async () => {
  const external = new ExternalTermination()
  const a = new TestAgent('a', async () => {
    external.set()
    await microtasks()
    return 'finished'
  })
  const group = new RoundRobinGroupChat({ participants: [a], terminationCondition: external })
  for (let run = 0; run < 2; run++) {
    expect(await group.run({ task: 'go' })).toMatchObject({
      status: 'done',
      stopReason: 'External termination requested',
      messages: [{ content: 'go' }, { content: 'finished' }],
    })
  }
})

describe('an agent that fails', () => {
  /** It fails once. */
  const failing = (error: unknown) => {
    let isBroken = true
    return new TestAgent('b', () => {
      if (!isBroken) return 'better'
      isBroken = false
      throw error
    })
  }

  it('makes the run fail with its name and its error (TE-06)', async () => {
    const error = new Error('no model')
    const group = new RoundRobinGroupChat({
      participants: [new TestAgent('a'), failing(error)],
      name: 'pair',
      maxTurns: 2,
    })
    const failure = await group.run({ task: 'go' }).catch((reason: unknown) => reason)
    expect(failure).toMatchObject({
      code: 'AGENT_FAILED',
      data: { agent: 'b', team: 'pair', reason: 'no model' },
      cause: error,
    })
    await group.reset()
    expect(saidIn((await group.run({ task: 'again' })).events).slice(0, 2)).toEqual(['user: again', "a: a's"])
  })

  it('comes again when the team goes on without a reset', async () => {
    const group = new RoundRobinGroupChat({
      participants: [new TestAgent('a'), failing('text')],
      maxTurns: 2,
    })
    expect(await codeOf(() => group.run({ task: 'go' }))).toBe('AGENT_FAILED')
    expect(saidIn((await group.run()).events)).toEqual(['b: better', "a: a's"])
  })

  it('makes the loop fail after everything that came before', async () => {
    const group = new RoundRobinGroupChat({ participants: [new TestAgent('a'), failing(new Error('x'))] })
    const types: string[] = []
    const reading = async () => {
      for await (const { type } of group.run({ task: 'go' })) types.push(type)
    }
    expect(await codeOf(reading)).toBe('AGENT_FAILED')
    expect(types).toEqual(['task-start', 'message', 'message'])
  })

  it('at once and in no promise is no other failure', async () => {
    const broken = Object.assign(new TestAgent('a'), {
      onMessages: () => {
        throw new Error('at once')
      },
    })
    const group = new RoundRobinGroupChat({ participants: [broken] })
    expect(await codeOf(() => group.run({ task: 'go' }))).toBe('AGENT_FAILED')
  })
})

describe('a team at work', () => {
  it.each<[string, (group: RoundRobinGroupChat) => unknown]>([
    ['run', (group) => group.run({ task: 'more' })],
    ['reset', (group) => group.reset()],
    ['saved', (group) => group.saveState()],
    ['loaded', (group) => group.loadState({ type: 'x', version: 1 })],
  ])('cannot be %s (TE-06)', async (_, action) => {
    const group = new RoundRobinGroupChat({ participants: [hanging('a')] })
    const controller = new AbortController()
    const run = group.run({ task: 'go', signal: controller.signal })
    expect(await codeOf(() => action(group))).toBe('TEAM_IS_RUNNING')
    controller.abort()
    expect((await run).status).toBe('cancelled')
    await group.reset()
  })
})
