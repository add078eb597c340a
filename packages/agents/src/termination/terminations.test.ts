import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { codeOf } from '../agent/agents.fixture.ts'
import {
  ExternalTermination,
  MaxMessageTermination,
  TimeoutTermination,
  TokenUsageTermination,
} from './limit-conditions.ts'
import {
  FunctionalTermination,
  FunctionCallTermination,
  HandoffTermination,
  SourceMatchTermination,
  StopMessageTermination,
  TextMentionTermination,
  TextMessageTermination,
} from './message-conditions.ts'
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

type Turns = Told[][]
const no = undefined
const a = (content: string) => text('a', content)
const b = (content: string) => text('b', content)

describe('a condition gives a reason when', () => {
  it('its messages meet it (TC-02 to TC-04)', ({ everyRow }) =>
    everyRow<[string, TerminationCondition, Turns, (string | undefined)[]]>(
      [
        [
          'so many messages were said (TC-02)',
          new MaxMessageTermination({ maxMessages: 2 }),
          [[a('x')], [thought('b', 'hm'), b('y')]],
          [no, no, 'Maximum number of messages 2 reached, current message count: 2'],
        ],
        [
          'events are counted as well',
          new MaxMessageTermination({ maxMessages: 3, includeAgentEvents: true }),
          [[a('x')], [thought('b', 'hm'), b('y')]],
          [no, no, 'Maximum number of messages 3 reached, current message count: 3'],
        ],
        [
          'a text is mentioned (TC-03)',
          new TextMentionTermination({ text: 'DONE' }),
          [[a('done')], [b('It is DONE.')]],
          [no, no, "Text 'DONE' mentioned"],
        ],
        [
          'a text is mentioned by one of those that are meant',
          new TextMentionTermination({ text: 'DONE', sources: ['b'] }),
          [[a('DONE')], [b('DONE')]],
          [no, no, "Text 'DONE' mentioned"],
        ],
        [
          'and not when it is only thought, or written by a program',
          new TextMentionTermination({ text: 'DONE' }),
          [[thought('a', 'Is it DONE?'), codeRun('a', 'DONE\n'), a('x')]],
          [no, no],
        ],
        [
          'somebody asks for the end (TC-04)',
          new StopMessageTermination(),
          [[a('x')], [stop('b')]],
          [no, no, 'Stop message received'],
        ],
        [
          'a text is said',
          new TextMessageTermination(),
          [[stop('a')], [b('x')]],
          [no, no, "Text message received from 'b'"],
        ],
        [
          'a text is said by the one that is meant',
          new TextMessageTermination({ source: 'b' }),
          [[a('x')], [b('x')]],
          [no, no, "Text message received from 'b'"],
        ],
        [
          'somebody has spoken',
          new SourceMatchTermination({ sources: ['b', 'c'] }),
          [[a('x')], [stop('b')]],
          [no, no, "'b' answered"],
        ],
        [
          'somebody who only thought has not',
          new SourceMatchTermination({ sources: ['b'] }),
          [[thought('b', 'x'), a('x')]],
          [no, no],
        ],
        [
          'the task is given to somebody',
          new HandoffTermination({ target: 'user' }),
          [[handoff('a', 'b')], [handoff('b', 'user')]],
          [no, no, 'Handoff to user from b detected.'],
        ],
        [
          'a tool was called',
          new FunctionCallTermination({ functionName: 'approve' }),
          [
            [toolsCalled('a', 'add'), a('x')],
            [toolsCalled('b', 'approve'), b('y')],
          ],
          [no, no, "Function 'approve' was executed."],
        ],
        [
          'a tool was called by somebody who says so',
          new FunctionCallTermination({ functionName: 'approve' }),
          [[toolSummary('a', 'approve')]],
          [no, "Function 'approve' was executed."],
        ],
        [
          'your function says so',
          new FunctionalTermination({ isMet: (items) => items.some(({ agent }) => agent === 'b') }),
          [[a('x')], [b('y')]],
          [no, no, 'Functional termination condition met'],
        ],
        [
          'your function says so later, with your words',
          new FunctionalTermination({
            isMet: async (items) => items.length === 2,
            reason: 'There were two.',
          }),
          [[a('x')], [b('y'), b('z')]],
          [no, no, 'There were two.'],
        ],
        [
          'so many tokens were used',
          new TokenUsageTermination({ maxTotalTokens: 10 }),
          [[text('a', 'x', tokens(4, 2))], [thought('b', 'x'), text('b', 'y', tokens(1, 3))]],
          [no, no, 'Token usage limit reached, total tokens: 10, input tokens: 5, output tokens: 5'],
        ],
        [
          'so many tokens were read',
          new TokenUsageTermination({ maxInputTokens: 4, maxOutputTokens: 9 }),
          [[text('a', 'x', tokens(3, 8))], [text('a', 'x', tokens(1, 0))]],
          [no, no, 'Token usage limit reached, total tokens: 12, input tokens: 4, output tokens: 8'],
        ],
        [
          'so many tokens were written',
          new TokenUsageTermination({ maxOutputTokens: 2 }),
          [[text('a', 'x', tokens(9, 2))]],
          [no, 'Token usage limit reached, total tokens: 11, input tokens: 9, output tokens: 2'],
        ],
      ],
      async (_, condition, turns, reasons) => {
        expect(await watch(condition).turns(...turns)).toEqual(reasons)
        // It keeps nothing from one run to the next.
        expect(await watch(condition).turns(...turns)).toEqual(reasons)
      },
    ))
})

describe('the task', () => {
  const task = [text('user', 'Say DONE when it is done.')]

  it('counts as messages, and otherwise only where a condition asks for it', ({ everyRow }) =>
    everyRow<[string, TerminationCondition, (string | undefined)[]]>(
      [
        [
          'counts as messages',
          new MaxMessageTermination({ maxMessages: 1 }),
          [
            'Maximum number of messages 1 reached, current message count: 1',
            'Maximum number of messages 1 reached, current message count: 2',
          ],
        ],
        ['does not mention a text', new TextMentionTermination({ text: 'DONE' }), [no, no]],
        [
          'does not mention a text, whoever gave it',
          new TextMentionTermination({ text: 'DONE', sources: ['user'] }),
          [no, no],
        ],
        [
          'mentions a text where that is asked for, once',
          new TextMentionTermination({ text: 'DONE', includeTask: true }),
          ["Text 'DONE' mentioned", no],
        ],
        [
          'mentions nothing for others',
          new TextMentionTermination({ text: 'DONE', includeTask: true, sources: ['a'] }),
          [no, no],
        ],
        ['is no text message', new TextMessageTermination({ source: 'user' }), [no, no]],
        ['is nobody who has spoken', new SourceMatchTermination({ sources: ['user'] }), [no, no]],
        [
          'is there for your function',
          new FunctionalTermination({ isMet: (_, run) => run.task === task }),
          [no, 'Functional termination condition met'],
        ],
      ],
      async (_, condition, reasons) => {
        expect(await watch(condition, task).turns([a('x')])).toEqual(reasons)
      },
    ))
})

describe('many runs', () => {
  it('are watched by one condition without mixing', async () => {
    const condition = new MaxMessageTermination({ maxMessages: 2 })
    const [one, other] = [watch(condition), watch(condition)]
    expect(await one.check(a('x'))).toBeUndefined()
    expect(await other.check(a('x'))).toBeUndefined()
    expect(await one.check(a('x'))).toContain('count: 2')
  })

  it('that go on are ended from outside; those before and after are not', async () => {
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

/** Time that passes when a test says so. */
function stillClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })
}

describe('a deadline', () => {
  stillClock()

  it('stops a run by itself', async () => {
    const run = watch(new TimeoutTermination({ timeoutMs: 5 }))
    vi.advanceTimersByTime(4)
    expect(await run.check()).toBeUndefined()
    vi.advanceTimersByTime(1)
    expect(run.stopped).toEqual(['Timeout of 5 ms reached'])
    expect(await run.check()).toBe('Timeout of 5 ms reached')
  })

  it('is over at the end of a turn in which no timer could fire', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const run = watch(new TimeoutTermination({ timeoutMs: 60_000 }))
    vi.advanceTimersByTime(60_010)
    expect(await run.check()).toBe('Timeout of 60000 ms reached')
    expect(run.stopped).toEqual([])
    run.end()
  })

  it('lets go of its timer when the run is over', async () => {
    const run = watch(new TimeoutTermination({ timeoutMs: 10 }))
    run.end()
    vi.advanceTimersByTime(30)
    expect(vi.getTimerCount()).toBe(0)
    expect(run.stopped).toEqual([])
  })
})

describe('combined', () => {
  stillClock()

  const two = new MaxMessageTermination({ maxMessages: 2 })
  const done = new TextMentionTermination({ text: 'DONE' })
  const count = (n: number) => `Maximum number of messages 2 reached, current message count: ${n}`

  it.each<[string, TerminationCondition, Turns, (string | undefined)[]]>([
    ['one of two is enough', two.or(done), [[a('DONE')]], [no, "Text 'DONE' mentioned"]],
    [
      'two reasons are both told',
      two.or(done),
      [[a('x')], [a('DONE')]],
      [no, no, `${count(2)}, Text 'DONE' mentioned`],
    ],
    [
      'both are needed, also one after the other',
      two.and(done),
      [[a('DONE')], [a('x')]],
      [no, no, `${count(2)}, Text 'DONE' mentioned`],
    ],
    ['both are needed', two.and(done), [[a('x')], [a('x')], [a('x')]], [no, no, no, no]],
    [
      'three in a row',
      two.and(done).or(new StopMessageTermination()),
      [[a('x')], [stop('a')]],
      [no, no, 'Stop message received'],
    ],
    [
      'any of a list',
      new OrTerminationCondition({ conditions: [done, two] }),
      [[a('x'), a('x')]],
      [no, count(2)],
    ],
    [
      'all of a list',
      new AndTerminationCondition({ conditions: [done] }),
      [[a('DONE')]],
      [no, "Text 'DONE' mentioned"],
    ],
  ])('%s', async (_, condition, turns, reasons) => {
    expect(await watch(condition).turns(...turns)).toEqual(reasons)
    expect(await watch(condition).turns(...turns)).toEqual(reasons)
  })

  const soon = new TimeoutTermination({ timeoutMs: 5 })

  it('a deadline is one of two', async () => {
    const run = watch(two.or(soon))
    vi.advanceTimersByTime(5)
    expect(run.stopped).toEqual(['Timeout of 5 ms reached'])
  })

  it('a deadline with another one waits for that', async () => {
    const run = watch(done.and(soon))
    vi.advanceTimersByTime(20)
    expect(run.stopped).toEqual([])
    expect(await run.check(a('x'))).toBeUndefined()
    expect(await run.check(a('DONE'))).toBe("Text 'DONE' mentioned, Timeout of 5 ms reached")
  })

  it('a deadline with one that is met already stops at once', async () => {
    const run = watch(done.and(soon))
    expect(await run.check(a('DONE'))).toBeUndefined()
    vi.advanceTimersByTime(5)
    expect(run.stopped).toEqual(["Text 'DONE' mentioned, Timeout of 5 ms reached"])
  })
})

it('a condition that can never be met is refused', ({ everyRow }) =>
  everyRow<[string, () => unknown]>(
    [
      ['no message', () => new MaxMessageTermination({ maxMessages: 0 })],
      ['no text', () => new TextMentionTermination({ text: '' })],
      ['nobody', () => new SourceMatchTermination({ sources: [] })],
      ['no limit of tokens (TC-04)', () => new TokenUsageTermination({})],
      ['no time', () => new TimeoutTermination({ timeoutMs: 0 })],
      ['more time than a timer knows', () => new TimeoutTermination({ timeoutMs: 2 ** 31 })],
      ['no tool', () => new FunctionCallTermination({ functionName: '' })],
      ['no function', () => new FunctionalTermination({ isMet: true as never })],
      ['no conditions', () => new OrTerminationCondition({ conditions: [] })],
      ['something that is no condition', () => new StopMessageTermination().and({} as never)],
      ['an unknown option', () => new TextMessageTermination({ sources: [] } as object)],
    ],
    async (_, make) => {
      expect(await codeOf(make)).toBe('INVALID_OPTIONS')
    },
  ))
