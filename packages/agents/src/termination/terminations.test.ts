import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { codeOf } from '../agent/agents.fixture.ts'
import type { AgentEvent } from '../event.ts'
import {
  ExternalTermination,
  FunctionalTermination,
  FunctionCallTermination,
  HandoffTermination,
  MaxMessageTermination,
  SourceMatchTermination,
  StopMessageTermination,
  TextMentionTermination,
  TextMessageTermination,
  TimeoutTermination,
  TokenUsageTermination,
} from './conditions.ts'
import { AndTerminationCondition, OrTerminationCondition, type TerminationCondition } from './termination.ts'
import {
  codeRun,
  handoff,
  stop,
  type Told,
  text,
  thought,
  tokens,
  toolSummary,
  toolsCalled,
  watch,
} from './watch.fixture.ts'

const no = undefined
const a = (content: string) => text('a', content)
const b = (content: string) => text('b', content)

/** What a condition answers at the beginning of a run and after each turn. A second run has the same answers. */
async function reasonsOf(condition: TerminationCondition, ...turns: Told[][]) {
  const reasons = await watch(condition).turns(...turns)
  expect(await watch(condition).turns(...turns)).toEqual(reasons)
  return reasons
}

describe('MaxMessageTermination', () => {
  const turns = [[a('x')], [thought('b', 'hm'), b('y')]]

  it('ends a run at a number of messages, without counting events', async () => {
    expect(await reasonsOf(new MaxMessageTermination({ maxMessages: 2 }), ...turns)).toEqual([
      no,
      no,
      'Maximum number of messages 2 reached, current message count: 2',
    ])
  })

  it('counts events as well with includeAgentEvents', async () => {
    const condition = new MaxMessageTermination({ maxMessages: 3, includeAgentEvents: true })
    expect(await reasonsOf(condition, ...turns)).toEqual([
      no,
      no,
      'Maximum number of messages 3 reached, current message count: 3',
    ])
  })

  it('counts the messages of the task', async () => {
    const run = watch(new MaxMessageTermination({ maxMessages: 1 }), [text('user', 'x')])
    expect(await run.turns([a('x')])).toEqual([
      'Maximum number of messages 1 reached, current message count: 1',
      'Maximum number of messages 1 reached, current message count: 2',
    ])
  })

  it('counts each of several runs separately', async () => {
    const condition = new MaxMessageTermination({ maxMessages: 2 })
    const [one, other] = [watch(condition), watch(condition)]
    expect(await one.check(a('x'))).toBeUndefined()
    expect(await other.check(a('x'))).toBeUndefined()
    expect(await one.check(a('x'))).toContain('count: 2')
  })
})

describe('TextMentionTermination', () => {
  const task = [text('user', 'Say DONE when it is done.')]
  const mentioned = "Text 'DONE' mentioned"

  it('ends a run when an agent writes the text, in the same case', async () => {
    const condition = new TextMentionTermination({ text: 'DONE' })
    expect(await reasonsOf(condition, [a('done')], [b('It is DONE.')])).toEqual([no, no, mentioned])
  })

  it('reads only the agents in sources', async () => {
    const condition = new TextMentionTermination({ text: 'DONE', sources: ['b'] })
    expect(await reasonsOf(condition, [a('DONE')], [b('DONE')])).toEqual([no, no, mentioned])
  })

  it('ignores thoughts and the output of programs', async () => {
    const turn = [thought('a', 'Is it DONE?'), codeRun('a', 'DONE\n'), a('x')]
    expect(await reasonsOf(new TextMentionTermination({ text: 'DONE' }), turn)).toEqual([no, no])
  })

  it('ignores the task, even if its author is in sources', async () => {
    const ofAll = new TextMentionTermination({ text: 'DONE' })
    const ofUser = new TextMentionTermination({ text: 'DONE', sources: ['user'] })
    expect(await watch(ofAll, task).turns([a('x')])).toEqual([no, no])
    expect(await watch(ofUser, task).turns([a('x')])).toEqual([no, no])
  })

  it('reads the task once with includeTask, if its author is in sources', async () => {
    const ofAll = new TextMentionTermination({ text: 'DONE', includeTask: true })
    const ofAgent = new TextMentionTermination({ text: 'DONE', includeTask: true, sources: ['a'] })
    expect(await watch(ofAll, task).turns([a('x')])).toEqual([mentioned, no])
    expect(await watch(ofAgent, task).turns([a('x')])).toEqual([no, no])
  })
})

describe('TextMessageTermination', () => {
  it('ends a run at a text message, but not at a stop message', async () => {
    expect(await reasonsOf(new TextMessageTermination(), [stop('a')], [b('x')])).toEqual([
      no,
      no,
      "Text message received from 'b'",
    ])
  })

  it('ends a run only at a message from its source', async () => {
    expect(await reasonsOf(new TextMessageTermination({ source: 'b' }), [a('x')], [b('x')])).toEqual([
      no,
      no,
      "Text message received from 'b'",
    ])
  })

  it('ignores the task', async () => {
    const run = watch(new TextMessageTermination({ source: 'user' }), [text('user', 'x')])
    expect(await run.turns([a('x')])).toEqual([no, no])
  })
})

describe('StopMessageTermination', () => {
  it('ends a run at a stop message', async () => {
    expect(await reasonsOf(new StopMessageTermination(), [a('x')], [stop('b')])).toEqual([
      no,
      no,
      'Stop message received',
    ])
  })
})

describe('SourceMatchTermination', () => {
  it('ends a run when one of the sources answers with any message', async () => {
    const condition = new SourceMatchTermination({ sources: ['b', 'c'] })
    expect(await reasonsOf(condition, [a('x')], [stop('b')])).toEqual([no, no, "'b' answered"])
  })

  it('ignores thoughts and the task', async () => {
    const condition = new SourceMatchTermination({ sources: ['b', 'user'] })
    const run = watch(condition, [text('user', 'x')])
    expect(await run.turns([thought('b', 'x'), a('x')])).toEqual([no, no])
  })
})

describe('HandoffTermination', () => {
  it('ends a run when an agent hands the task to the target', async () => {
    const condition = new HandoffTermination({ target: 'user' })
    expect(await reasonsOf(condition, [handoff('a', 'b')], [handoff('b', 'user')])).toEqual([
      no,
      no,
      'Handoff to user from b detected.',
    ])
  })
})

describe('FunctionCallTermination', () => {
  const condition = new FunctionCallTermination({ functionName: 'approve' })
  const executed = "Function 'approve' was executed."

  it('ends a run when an agent has called the tool', async () => {
    const turns = [
      [toolsCalled('a', 'add'), a('x')],
      [toolsCalled('b', 'approve'), b('y')],
    ]
    expect(await reasonsOf(condition, ...turns)).toEqual([no, no, executed])
  })

  it('ends a run at a message with a result of the tool', async () => {
    expect(await reasonsOf(condition, [toolSummary('a', 'approve')])).toEqual([no, executed])
  })
})

describe('FunctionalTermination', () => {
  it('ends a run when its function returns true', async () => {
    const isMet = (events: readonly AgentEvent[]) => events.some(({ agent }) => agent === 'b')
    expect(await reasonsOf(new FunctionalTermination({ isMet }), [a('x')], [b('y')])).toEqual([
      no,
      no,
      'Functional termination condition met',
    ])
  })

  it('waits for its function, and gives the reason from its options', async () => {
    const condition = new FunctionalTermination({
      isMet: async (events) => events.length === 2,
      reason: 'There were two.',
    })
    expect(await reasonsOf(condition, [a('x')], [b('y'), b('z')])).toEqual([no, no, 'There were two.'])
  })

  it('passes the task to its function', async () => {
    const task = [text('user', 'x')]
    const condition = new FunctionalTermination({ isMet: (_, run) => run.task === task })
    expect(await watch(condition, task).turns([a('x')])).toEqual([no, 'Functional termination condition met'])
  })
})

describe('TokenUsageTermination', () => {
  it('ends a run when the models of all agents have used the total', async () => {
    const turns = [[text('a', 'x', tokens(4, 2))], [thought('b', 'x'), text('b', 'y', tokens(1, 3))]]
    expect(await reasonsOf(new TokenUsageTermination({ maxTotalTokens: 10 }), ...turns)).toEqual([
      no,
      no,
      'Token usage limit reached, total tokens: 10, input tokens: 5, output tokens: 5',
    ])
  })

  it('ends a run at the first of several limits', async () => {
    const turns = [[text('a', 'x', tokens(3, 8))], [text('a', 'x', tokens(1, 0))]]
    const condition = new TokenUsageTermination({ maxInputTokens: 4, maxOutputTokens: 9 })
    expect(await reasonsOf(condition, ...turns)).toEqual([
      no,
      no,
      'Token usage limit reached, total tokens: 12, input tokens: 4, output tokens: 8',
    ])
  })

  it('ends a run at the limit of output tokens', async () => {
    const condition = new TokenUsageTermination({ maxOutputTokens: 2 })
    expect(await reasonsOf(condition, [text('a', 'x', tokens(9, 2))])).toEqual([
      no,
      'Token usage limit reached, total tokens: 11, input tokens: 9, output tokens: 2',
    ])
  })
})

describe('ExternalTermination', () => {
  it('ends all current runs, but no earlier and no later ones', async () => {
    const external = new ExternalTermination()
    external.set()
    const [one, other, over] = [watch(external), watch(external), watch(external)]
    expect(await one.check()).toBeUndefined()
    over.end()
    external.set()
    expect([await one.check(a('x')), await other.check(), await over.check()]).toEqual([
      'External termination requested',
      'External termination requested',
      no,
    ])
    expect(await watch(external).check()).toBeUndefined()
  })
})

/** Time passes when a test says so. */
function stillClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })
}

describe('TimeoutTermination', () => {
  stillClock()

  it('stops a run in the middle of a turn', async () => {
    const run = watch(new TimeoutTermination({ timeoutMs: 5 }))
    vi.advanceTimersByTime(4)
    expect(await run.check()).toBeUndefined()
    vi.advanceTimersByTime(1)
    expect(run.stopped).toEqual(['Timeout of 5 ms reached'])
    expect(await run.check()).toBe('Timeout of 5 ms reached')
  })

  it('ends a run after a turn that kept its timer from firing', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const run = watch(new TimeoutTermination({ timeoutMs: 60_000 }))
    vi.advanceTimersByTime(60_010)
    expect(await run.check()).toBe('Timeout of 60000 ms reached')
    expect(run.stopped).toEqual([])
    run.end()
  })

  it('clears its timer when the run ends', async () => {
    const run = watch(new TimeoutTermination({ timeoutMs: 10 }))
    run.end()
    vi.advanceTimersByTime(30)
    expect(vi.getTimerCount()).toBe(0)
    expect(run.stopped).toEqual([])
  })
})

describe('conditions combined with and or or', () => {
  stillClock()

  const two = new MaxMessageTermination({ maxMessages: 2 })
  const done = new TextMentionTermination({ text: 'DONE' })
  const count = (n: number) => `Maximum number of messages 2 reached, current message count: ${n}`

  it('end a run with or when one of them is met', async () => {
    expect(await reasonsOf(two.or(done), [a('DONE')])).toEqual([no, "Text 'DONE' mentioned"])
    const any = new OrTerminationCondition({ conditions: [done, two] })
    expect(await reasonsOf(any, [a('x'), a('x')])).toEqual([no, count(2)])
  })

  it('give all reasons with or when several are met', async () => {
    expect(await reasonsOf(two.or(done), [a('x')], [a('DONE')])).toEqual([
      no,
      no,
      `${count(2)}, Text 'DONE' mentioned`,
    ])
  })

  it('end a run with and when all have been met, even in different turns', async () => {
    expect(await reasonsOf(two.and(done), [a('DONE')], [a('x')])).toEqual([
      no,
      no,
      `${count(2)}, Text 'DONE' mentioned`,
    ])
    const all = new AndTerminationCondition({ conditions: [done] })
    expect(await reasonsOf(all, [a('DONE')])).toEqual([no, "Text 'DONE' mentioned"])
  })

  it('do not end a run with and while one of them is not met', async () => {
    expect(await reasonsOf(two.and(done), [a('x')], [a('x')], [a('x')])).toEqual([no, no, no, no])
  })

  it('can be combined again', async () => {
    const condition = two.and(done).or(new StopMessageTermination())
    expect(await reasonsOf(condition, [a('x')], [stop('a')])).toEqual([no, no, 'Stop message received'])
  })

  const soon = new TimeoutTermination({ timeoutMs: 5 })

  it('stop a run with or at the time limit', () => {
    const run = watch(two.or(soon))
    vi.advanceTimersByTime(5)
    expect(run.stopped).toEqual(['Timeout of 5 ms reached'])
  })

  it('do not stop a run with and at the time limit while the other is not met', async () => {
    const run = watch(done.and(soon))
    vi.advanceTimersByTime(20)
    expect(run.stopped).toEqual([])
    expect(await run.check(a('x'))).toBeUndefined()
    expect(await run.check(a('DONE'))).toBe("Text 'DONE' mentioned, Timeout of 5 ms reached")
  })

  it('stop a run with and at the time limit if the other has been met', async () => {
    const run = watch(done.and(soon))
    expect(await run.check(a('DONE'))).toBeUndefined()
    vi.advanceTimersByTime(5)
    expect(run.stopped).toEqual(["Text 'DONE' mentioned, Timeout of 5 ms reached"])
  })
})

it('a condition that can never be met is rejected', ({ everyRow }) =>
  everyRow<[string, () => unknown]>(
    [
      ['zero messages', () => new MaxMessageTermination({ maxMessages: 0 })],
      ['an empty text', () => new TextMentionTermination({ text: '' })],
      ['an empty list of sources', () => new SourceMatchTermination({ sources: [] })],
      ['no token limit', () => new TokenUsageTermination({})],
      ['no options', () => new TokenUsageTermination()],
      ['zero time', () => new TimeoutTermination({ timeoutMs: 0 })],
      ['more time than a timer can wait', () => new TimeoutTermination({ timeoutMs: 2 ** 31 })],
      ['a tool without a name', () => new FunctionCallTermination({ functionName: '' })],
      ['a value that is not a function', () => new FunctionalTermination({ isMet: true as never })],
      ['an empty list of conditions', () => new OrTerminationCondition({ conditions: [] })],
      ['an object that is not a condition', () => new StopMessageTermination().and({} as never)],
      ['an unknown option', () => new TextMessageTermination({ sources: [] } as object)],
    ],
    async (_, make) => {
      expect(await codeOf(make)).toBe('INVALID_OPTIONS')
    },
  ))
