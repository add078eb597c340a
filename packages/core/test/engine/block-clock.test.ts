import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { ApprovalQueue } from '../../src/approval/approval-queue.ts'
import type { AskAbout } from '../../src/approval/ask.ts'
import type { ExecuteOptions } from '../../src/code-executor.ts'
import type { BlockIo } from '../../src/engine/driver.ts'
import { blocks, fakeExecutor, type Program } from '../../src/engine/fake-driver.fixture.ts'
import { BlockClock, type PassedLimit, type WaitingFor } from '../../src/engine/time/block-clock.ts'
import { stopClock } from './stop-clock.ts'

/** Moves the clock, and lets all that follows from that happen: a timer is heard two rounds of reading later. */
async function pass(timeMs: number): Promise<void> {
  vi.advanceTimersByTime(timeMs)
  for (let round = 0; round < 10; round++) await new Promise<void>((resolve) => setImmediate(resolve))
}

const call = (io: BlockIo, tool: string) =>
  io.tools?.answer(JSON.stringify({ id: 1, tool })) ?? Promise.reject(new Error('The program has no tools.'))

/** Another thread of the program computes until it is stopped. */
const computing = (io: BlockIo) =>
  new Promise<void>((resolve) => io.signal.addEventListener('abort', () => resolve(), { once: true }))

const programs: Record<string, Program> = {
  callsAndComputes: async (io) => {
    void call(io, 'slow')
    await computing(io)
    return { exitCode: 0 }
  },
  callsForEver: async (io) => {
    while (!io.signal.aborted) await call(io, 'short')
    return { exitCode: 0 }
  },
  reads: async (io) => {
    void io.readLine?.({ prompt: 'Name? ' }).catch(() => {})
    await computing(io)
    return { exitCode: 0 }
  },
  readsTwice: async (io) => {
    for (const prompt of ['First? ', 'Second? ']) await io.readLine?.({ prompt })
    return { exitCode: 0 }
  },
  asksAndCalls: async (io) => {
    void call(io, 'guarded')
    void call(io, 'slow')
    await computing(io)
    return { exitCode: 0 }
  },
}

/** Tools, and a promise of the first call of one of those that take time. */
function makeTools() {
  const { promise: called, resolve } = Promise.withResolvers<void>()
  const tools = {
    slow: () => new Promise<never>(() => resolve()),
    short: () => new Promise((done) => resolve(void setTimeout(done, 100, 'done'))),
    guarded: { needsApproval: true, execute: () => 'done' },
  }
  return { tools, called }
}

/** Runs one program, and notes when it has ended. */
function run(program: string, options: ExecuteOptions = {}, own: { maxWaitMs?: number } = {}) {
  const { executor } = fakeExecutor({
    capabilities: { inputRequests: true, toolLanguages: ['python'] },
    programs,
    options: { timeoutMs: 1_000, ...own },
  })
  const running = executor.execute(blocks(program), options)
  let hasEnded = false
  void running.then(() => {
    hasEnded = true
  })
  return { running, hasEnded: () => hasEnded }
}

async function noticeOf({ running }: ReturnType<typeof run>) {
  const { status, blocks: ran } = await running
  return { status, data: ran[0]?.notices.find(({ code }) => code === 'timeout')?.data }
}

const timeout = { limitMs: '1000', option: 'timeoutMs' }

it('stands still for an open call of a tool only as long as the time limit once more', async () => {
  stopClock()
  const { tools, called } = makeTools()
  const one = run('callsAndComputes', { tools })
  await called
  await pass(1_000)
  await pass(999)
  expect(one.hasEnded()).toBe(false)
  await pass(1)
  expect(await noticeOf(one)).toEqual({ status: 'timeout', data: { ...timeout, toolWaitMs: '1000' } })
})

it('counts all calls of a block together', async () => {
  stopClock()
  const { tools, called } = makeTools()
  const one = run('callsForEver', { tools })
  await called
  for (let count = 0; count < 19; count++) await pass(100)
  expect(one.hasEnded()).toBe(false)
  await pass(101)
  expect(await noticeOf(one)).toEqual({ status: 'timeout', data: { ...timeout, toolWaitMs: '1000' } })
})

it('ends a block whose question has no answer within `maxWaitMs`, and withdraws the question', async () => {
  stopClock()
  const questions = new ApprovalQueue()
  const one = run('reads', { ask: { input: questions.ask }, maxWaitMs: 5_000 }, { maxWaitMs: 1 })
  await questions.events().next()
  await pass(4_999)
  expect([one.hasEnded(), questions.pending.length]).toEqual([false, 1])
  await pass(1)
  expect(await noticeOf(one)).toEqual({
    status: 'timeout',
    data: { limitMs: '5000', option: 'maxWaitMs' },
  })
  expect(questions.pending).toEqual([])
})

it('counts all questions of a block together', async () => {
  stopClock()
  const questions = new ApprovalQueue()
  const one = run('readsTwice', { ask: { input: questions.ask } }, { maxWaitMs: 5_000 })
  const events = questions.events()
  const { value } = await events.next()
  await pass(3_000)
  questions.answer(value.request.id, { decision: 'answer', text: 'a' })
  await pass(0)
  expect(questions.pending).toMatchObject([{ prompt: 'Second? ' }])
  await pass(1_999)
  expect(one.hasEnded()).toBe(false)
  await pass(1)
  expect(await noticeOf(one)).toEqual({
    status: 'timeout',
    data: { limitMs: '5000', option: 'maxWaitMs' },
  })
})

it('waits for a person while a question about a call is open, and for a tool after it', async () => {
  stopClock()
  const questions = new ApprovalQueue()
  const approveTool: AskAbout<'tool'> = ({ tool }, { signal }) =>
    tool === 'guarded' ? questions.ask({ ...request, tool }, { signal }) : ({ decision: 'allow' } as const)
  const about = { question: 'May it?', digest: '', input: {} }
  const request = { kind: 'tool', id: 'a', toolCallId: 'b', ...about } as const
  const { tools } = makeTools()
  const one = run('asksAndCalls', { tools, ask: { tool: approveTool }, maxWaitMs: 5_000 })
  await questions.events().next()
  await pass(4_999)
  questions.answer('a', { decision: 'allow' })
  await pass(0)
  await pass(1_000)
  await pass(999)
  expect(one.hasEnded()).toBe(false)
  await pass(1)
  expect(await noticeOf(one)).toEqual({ status: 'timeout', data: { ...timeout, toolWaitMs: '1000' } })
})

it('is ten minutes for people unless an option says another time', async () => {
  stopClock()
  const questions = new ApprovalQueue()
  const one = run('reads', { ask: { input: questions.ask } })
  await questions.events().next()
  await pass(599_999)
  expect(one.hasEnded()).toBe(false)
  await pass(1)
  expect(await noticeOf(one)).toMatchObject({ data: { limitMs: '600000', option: 'maxWaitMs' } })
})

it.each([0, 1.5, -1, Number.POSITIVE_INFINITY, 2 ** 31])('refuses `maxWaitMs: %s`', async (maxWaitMs) => {
  const { executor } = fakeExecutor()
  await expect(executor.execute(blocks('ok'), { maxWaitMs })).rejects.toMatchObject({
    code: 'INVALID_OPTIONS',
  })
  expect(() => fakeExecutor({ options: { maxWaitMs } })).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS' }),
  )
})

it.each(['people', 'tools'] as const)(
  'ends although a program waits for %s again and again, for less than a timer needs',
  async (waitingFor) => {
    stopClock()
    const passed: PassedLimit[] = []
    using clock = new BlockClock({ timeoutMs: 10, maxWaitMs: 10 }, (limit) => passed.push(limit))
    clock.start()
    // A timer is never heard here: that takes two rounds.
    for (let count = 0; count < 40; count++) {
      using _ = clock.hold(waitingFor)
      vi.advanceTimersByTime(1)
    }
    await pass(1)
    expect(passed).toEqual([waitingFor === 'people' ? 'maxWaitMs' : 'timeoutMs'])
  },
)

it('stands still before a program starts and after it has ended, whatever is held', async () => {
  stopClock()
  const passed: PassedLimit[] = []
  using clock = new BlockClock({ timeoutMs: 10, maxWaitMs: 10 }, (limit) => passed.push(limit))
  const held = clock.hold('people')
  await pass(50)
  clock.start()
  await pass(9)
  clock.stop()
  held[Symbol.dispose]()
  await pass(50)
  expect(passed).toEqual([])
})

const limits = { timeoutMs: 1_000, maxWaitMs: 3_000 }
const step = fc.record({
  waitingFor: fc.constantFrom<WaitingFor>('people', 'tools'),
  isNew: fc.boolean(),
  timeMs: fc.integer({ min: 0, max: 400 }),
})

it('ends at the latest after 2 × timeoutMs + maxWaitMs, and not before timeoutMs, whatever waits', async () => {
  stopClock()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const passed: PassedLimit[] = []
      using clock = new BlockClock(limits, (limit) => passed.push(limit))
      const startedAt = performance.now()
      clock.start()
      const held: Disposable[] = []
      for (const { waitingFor, isNew, timeMs } of steps) {
        if (isNew) held.push(clock.hold(waitingFor))
        else held.shift()?.[Symbol.dispose]()
        await pass(timeMs)
        const elapsedMs = performance.now() - startedAt
        if (elapsedMs < limits.timeoutMs) expect(passed).toEqual([])
        // The last step of the clock can go beyond the limit.
        if (elapsedMs - timeMs >= 5_000) expect(passed).toHaveLength(1)
      }
      expect(passed.length).toBeLessThanOrEqual(1)
    }),
    { numRuns: 30 },
  )
})
