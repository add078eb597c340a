import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { mockModel, says } from '../../src/model/mock-model.fixture.ts'
import { decision, ofType, program, solver } from './solving.fixture.ts'

/** For a model that always tries again: program, decision, program, decision ... */
const endless = (programs: readonly string[]) => (call: number) =>
  call % 2 === 0 ? (programs[call / 2] ?? 'Enough.') : decision(true, `plan ${call}`)

const different = ['One', 'Two', 'Three', 'Four', 'Five'].map((name) => program(`raise ${name}Error: oh`))

async function outcome({ agent }: Pick<ReturnType<typeof solver>, 'agent'>) {
  const { events, stopReason, status } = await agent.run()
  expect(status).toBe('done')
  const notices = ofType(events, 'notice').map(({ notice }) => notice)
  expect(stopReason).toBe(notices[0]?.message)
  return { codes: notices.map(({ code }) => code), events }
}

describe('further tries', () => {
  it.each([0, 1, 3])('are at most as many as allowed: %i', async (maxRetriesOnError) => {
    const parts = solver(endless(different), { maxRetriesOnError })
    const { codes } = await outcome(parts)
    expect(parts.executor.ran).toHaveLength(maxRetriesOnError + 1)
    expect(codes).toEqual(maxRetriesOnError === 0 ? [] : ['retries-used-up'])
  })

  it('are events with their number, cause and plan', async () => {
    const { events } = await outcome(solver(endless(different), { maxRetriesOnError: 2 }))
    const plans = ofType(events, 'code-generated').filter(({ plan }) => plan !== undefined)
    expect(plans).toMatchObject([
      { retryAttempt: 0, plan: { cause: expect.stringContaining('OneError'), correction: 'plan 1' } },
      { retryAttempt: 1, plan: { cause: expect.stringContaining('TwoError'), correction: 'plan 3' } },
    ])
  })

  it('end when their time is over', async () => {
    const slow = async (call: number) => {
      await sleep(20)
      return endless(different)(call)
    }
    const parts = solver(slow, { maxRetriesOnError: 4, retryTimeoutMs: 10 })
    expect((await outcome(parts)).codes).toEqual(['retry-time-over'])
    expect(parts.executor.ran).toHaveLength(1)
    expect(parts.model.prompts).toHaveLength(2)
  })

  it('go on while their time is not over', async () => {
    const parts = solver(endless(different), { maxRetriesOnError: 2, retryTimeoutMs: 600_000 })
    expect((await outcome(parts)).codes).toEqual(['retries-used-up'])
  })

  it.each([
    ['before it is decided about one', 15, 2],
    ['also by the decision itself', 30, 3],
  ])('end when their tokens are used up, %s', async (_, retryTokenLimit, calls) => {
    const [first = ''] = different
    const model = mockModel('counted', says(first), says(decision(true, 'a')), says('No.'))
    const parts = solver([], { model, maxRetriesOnError: 4, retryTokenLimit })
    expect((await outcome(parts)).codes).toEqual(['retry-tokens-used-up'])
    expect([parts.executor.ran.length, model.doStreamCalls.length]).toEqual([1, calls])
  })
})

const same = program('say hello', 'raise ValueError: oh')
const repetitions: [string, readonly string[]][] = [
  ['the same program', [program('exit 3'), program('exit 3'), program('exit 3')]],
  [
    'the same error of other programs',
    [1, 2, 3].map((number) => program(`# ${number}`, 'raise ValueError: oh')),
  ],
  [
    'the same error with other numbers, addresses and directories',
    [1, 2, 3].map((number) =>
      program(
        `# ${number}`,
        `raise OSError: [Errno ${number}] line ${number} of '/tmp/run-${number}/data/in.csv' at 0x7f${number}ab`,
      ),
    ),
  ],
]

describe('a program that fails as the one before', () => {
  it.each(repetitions)('is answered with a question for another approach: %s', async (_, programs) => {
    const parts = solver(endless(programs), { maxRetriesOnError: 5 })
    const { codes } = await outcome(parts)
    expect(parts.prompt(1).at(-1)).not.toContain('different approach')
    expect(parts.prompt(3).at(-1)).toContain('choose a different approach, or answer that there is none')
    expect(parts.executor.ran).toHaveLength(3)
    expect(codes).toEqual(['failure-repeated'])
  })

  it.each(repetitions)('ends the tries at once where it is to: %s', async (_, programs) => {
    const parts = solver(endless(programs), { maxRetriesOnError: 5, onRepeatedFailure: 'stop' })
    expect((await outcome(parts)).codes).toEqual(['failure-repeated'])
    expect(parts.executor.ran).toHaveLength(2)
  })

  it('is noticed also when two programs take turns', async () => {
    const [a, b] = [program('raise KeyError: a'), program('raise KeyError: b')]
    const parts = solver(endless([a, b, a, b, a, b]), { maxRetriesOnError: 5 })
    expect((await outcome(parts)).codes).toEqual(['failure-repeated'])
    expect(parts.executor.ran).toHaveLength(4)
    expect(parts.prompt(5).at(-1)).toContain('choose a different approach')
  })

  it('is counted again for every failure', async () => {
    const other = program('raise KeyError: a')
    const parts = solver(endless([same, same, other, other, program('raise OSError: c')]), {
      maxRetriesOnError: 4,
    })
    expect((await outcome(parts)).codes).toEqual(['retries-used-up'])
  })

  it.each([
    ['say nothing about why', ['exit 3', 'exit 4'].map((order) => program(order))],
    ['differ in what they lack', ['a', 'b'].map((key) => program(`raise KeyError: ${key}`))],
  ])('is none of those that %s', async (_, programs) => {
    const parts = solver(endless(programs), { maxRetriesOnError: 1, onRepeatedFailure: 'stop' })
    expect((await outcome(parts)).codes).toEqual(['retries-used-up'])
  })

  it('tells the reflection why there is no further try', async () => {
    const parts = solver(endless([same, same]), { maxRetriesOnError: 5, onRepeatedFailure: 'stop' })
    await outcome(parts)
    expect(parts.prompt(3).at(-1)).toContain('Gave up')
  })
})
