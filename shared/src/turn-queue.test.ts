import { getEventListeners } from 'node:events'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
// @boundaries-ignore Tests of core use it as well; no package exports it.
import { microtasks } from '../../packages/core/src/microtasks.fixture.ts'
import { TurnQueue } from './turn-queue.ts'

const never = new AbortController().signal

/** Takes a turn and notes it, holding it until it is told to let go. */
function queued(queue: TurnQueue, order: string[], name: string, signal: AbortSignal = never) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const done = (async () => {
    using _turn = await queue.take(signal)
    order.push(name)
    await released
  })()
  done.catch(() => {})
  return { done, release }
}

test('turns are given in the order in which they were asked for, one at a time', async () => {
  const queue = new TurnQueue()
  const order: string[] = []
  const all = ['a', 'b', 'c'].map((name) => queued(queue, order, name))
  for (const [index, { release, done }] of all.entries()) {
    await microtasks()
    expect(order).toEqual(['a', 'b', 'c'].slice(0, index + 1))
    release()
    await done
  }
})

test('a newcomer does not slip in while the turn is handed over', async () => {
  const queue = new TurnQueue()
  const order: string[] = []
  const first = queued(queue, order, 'first')
  const second = queued(queue, order, 'second')
  await microtasks()
  first.release()
  await first.done
  const newcomer = queued(queue, order, 'newcomer')
  await microtasks()
  expect(order).toEqual(['first', 'second'])
  second.release()
  newcomer.release()
  await newcomer.done
  expect(order).toEqual(['first', 'second', 'newcomer'])
})

describe('an aborted signal', () => {
  test('asks for no turn', async () => {
    await expect(new TurnQueue().take(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
  })

  test.each([0, 1, 2])('takes waiter %i out of the row and leaves the others in theirs', async (leaving) => {
    const queue = new TurnQueue()
    const order: string[] = []
    const first = queued(queue, order, 'first')
    const controllers = Array.from({ length: 3 }, () => new AbortController())
    const waiting = controllers.map(({ signal }, index) => queued(queue, order, `${index}`, signal))
    await microtasks()
    controllers[leaving]?.abort(new Error('gone'))
    await expect(waiting[leaving]?.done).rejects.toThrow('gone')
    for (const { release } of [first, ...waiting]) release()
    await Promise.allSettled(waiting.map(({ done }) => done))
    expect(order).toEqual(['first', ...['0', '1', '2'].filter((name) => name !== `${leaving}`)])
  })

  test('of the one to whom the turn was just handed does not lose the turn for the others', async () => {
    const queue = new TurnQueue()
    const order: string[] = []
    const turn = await queue.take(never)
    const controller = new AbortController()
    const handed = queued(queue, order, 'handed', controller.signal)
    const next = queued(queue, order, 'next')
    await microtasks()
    turn[Symbol.dispose]()
    controller.abort()
    handed.release()
    next.release()
    await next.done
    expect(order.at(-1)).toBe('next')
  })
})

test('no listener is left on a signal that lives long', async () => {
  const queue = new TurnQueue()
  const { signal } = new AbortController()
  const aborted = new AbortController()
  const turn = await queue.take(signal)
  const waiting = Array.from({ length: 50 }, () => queued(queue, [], 'x', signal))
  const leaving = Array.from({ length: 50 }, () => queued(queue, [], 'x', aborted.signal))
  await microtasks()
  aborted.abort()
  turn[Symbol.dispose]()
  for (const { release } of waiting) release()
  await Promise.allSettled([...waiting, ...leaving].map(({ done }) => done))
  expect([signal, aborted.signal].map((one) => getEventListeners(one, 'abort').length)).toEqual([0, 0])
})

test('whoever leaves and whenever, all others get their turn in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('stays', 'leaves early', 'leaves late'), { maxLength: 12 }),
      async (plans) => {
        const queue = new TurnQueue()
        const order: string[] = []
        const turn = await queue.take(never)
        const controllers = plans.map(() => new AbortController())
        const waiting = controllers.map(({ signal }, index) => queued(queue, order, `${index}`, signal))
        const abort = (plan: string) => {
          for (const [index, controller] of controllers.entries())
            if (plans[index] === plan) controller.abort()
        }
        await microtasks()
        abort('leaves early')
        turn[Symbol.dispose]()
        for (const { release } of waiting) release()
        abort('leaves late')
        await Promise.allSettled(waiting.map(({ done }) => done))
        const staying = plans.flatMap((plan, index) => (plan === 'stays' ? [`${index}`] : []))
        expect(order.filter((name) => staying.includes(name))).toEqual(staying)
        expect(order.filter((name) => plans[Number(name)] === 'leaves early')).toEqual([])
        using _free = await queue.take(never)
      },
    ),
    { numRuns: 50 },
  )
})
