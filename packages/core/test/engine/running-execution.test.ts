import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RunningExecution } from '../../src/engine/call/running-execution.ts'
import { collect } from '../../src/engine/collect.fixture.ts'
import type { EventQueue } from '../../src/engine/output/event-queue.ts'
import type { ExecutionEvent } from '../../src/execution.ts'
import type { CodeResult } from '../../src/vocabulary/code-result.ts'

const result: CodeResult = {
  status: 'ok',
  exitCode: 0,
  output: '',
  blocks: [],
  files: [],
  durationMs: 0,
  queuedMs: 0,
  isolation: { kind: 'none', network: 'open', particulars: {} },
}
const executionEnd: ExecutionEvent = { type: 'execution-end', result }
const said = (text: string): ExecutionEvent => ({ type: 'stdout', index: 0, text })
const say = (events: EventQueue, text: string) => events.pushOutput('stdout', 0, Buffer.from(text))

const nothing = () => {}

/** A run that goes on until it is cancelled, and takes a while to stop. */
function endless() {
  const cancelled = Promise.withResolvers<void>()
  let stopped = false
  const execution = new RunningExecution(
    async (events) => {
      void say(events, 'a')
      await cancelled.promise
      await new Promise(setImmediate)
      stopped = true
      return { ...result, status: 'cancelled' }
    },
    () => cancelled.resolve(),
  )
  return { execution, hasStopped: () => stopped }
}

describe('awaited', () => {
  test('it gives the result, as often as it is asked', async () => {
    const execution = new RunningExecution(async () => result, nothing)
    expect(await execution).toBe(result)
    expect(await execution).toBe(result)
    expect(await Promise.all([execution, execution.then((value) => value.status)])).toEqual([result, 'ok'])
  })

  test('it runs although nobody looks', async () => {
    let ran = false
    new RunningExecution(async () => {
      ran = true
      return result
    }, nothing)
    expect(ran).toBe(true)
  })

  test('it is a promise in every respect', async () => {
    const failing = new RunningExecution(async () => Promise.reject(new Error('broken')), nothing)
    expect(await failing.catch((error: unknown) => error)).toMatchObject({ message: 'broken' })
    await expect(failing.finally(nothing)).rejects.toThrow('broken')
    let finished = 0
    await new RunningExecution(async () => result, nothing).finally(() => finished++)
    expect(finished).toBe(1)
    expect(Object.prototype.toString.call(failing)).toBe('[object Execution]')
  })

  test('it is not cancelled by that', async () => {
    let cancelCount = 0
    await new RunningExecution(
      async () => result,
      () => cancelCount++,
    )
    expect(cancelCount).toBe(0)
  })
})

describe('iterated', () => {
  test('it gives the events and at last its own end', async () => {
    const execution = new RunningExecution(async (events) => {
      await say(events, 'a')
      return result
    }, nothing)
    expect(await collect(execution)).toEqual([said('a'), executionEnd])
  })

  test('after its end it still gives all of them', async () => {
    const execution = new RunningExecution(async (events) => {
      void say(events, 'a')
      return result
    }, nothing)
    await execution
    expect(await collect(execution)).toEqual([said('a'), executionEnd])
  })

  test('and awaited in the loop, at the end, and after it', async () => {
    const execution = new RunningExecution(async (events) => {
      void say(events, 'a')
      return result
    }, nothing)
    for await (const event of execution) if (event.type === 'stdout') expect(await execution).toBe(result)
    expect(await execution).toBe(result)
  })

  test('a second loop is refused at once', async () => {
    const execution = new RunningExecution(async () => result, nothing)
    await collect(execution)
    expect(() => execution[Symbol.asyncIterator]()).toThrow(
      expect.objectContaining({ code: 'EXECUTION_ITERATED_TWICE' }),
    )
  })

  test.each<[how: string, leave: (execution: RunningExecution) => Promise<void>]>([
    [
      'break',
      async (execution) => {
        for await (const _ of execution) break
      },
    ],
    [
      'throw',
      async (execution) => {
        const leaving = async () => {
          for await (const _ of execution) throw new Error('enough')
        }
        await expect(leaving()).rejects.toThrow('enough')
      },
    ],
    [
      'return before the first event was read',
      async (execution) => {
        await execution[Symbol.asyncIterator]().return?.()
      },
    ],
    [
      'return while it waits for an event',
      async (execution) => {
        const reader = execution[Symbol.asyncIterator]()
        await reader.next()
        const pending = reader.next()
        expect(await reader.return?.()).toEqual({ done: true, value: undefined })
        await pending
        expect(await reader.next()).toEqual({ done: true, value: undefined })
      },
    ],
    ['cancel', (execution) => execution.cancel()],
    [
      'cancel, while a loop reads it',
      async (execution) => {
        const reading = collect(execution)
        await execution.cancel()
        expect((await reading).map(({ type }) => type)).toEqual(['stdout', 'execution-end'])
      },
    ],
  ])('leaving it by %s cancels and waits until it has stopped', async (_, leave) => {
    const { execution, hasStopped } = endless()
    await leave(execution)
    expect(hasStopped()).toBe(true)
    expect((await execution).status).toBe('cancelled')
  })

  test('leaving it lets a writer go on that was held back', async () => {
    const execution = new RunningExecution(async (events) => {
      for (let count = 0; count < 100; count++) await say(events, 'x'.repeat(65_536))
      return result
    }, nothing)
    for await (const _ of execution) break
    expect(await execution).toBe(result)
  })
})

describe('when the run rejects', () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  // Whoever listened before is put aside: what they would report is what is looked for here.
  let others: NodeJS.UnhandledRejectionListener[] = []

  beforeEach(() => {
    unhandled.length = 0
    others = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    process.on('unhandledRejection', note)
  })
  afterEach(() => {
    process.removeAllListeners('unhandledRejection')
    for (const other of others) process.on('unhandledRejection', other)
  })

  const failing = () => new RunningExecution(async () => Promise.reject(new Error('broken')), nothing)
  const nextTick = () => new Promise(setImmediate)

  test('the loop throws, and nothing is unhandled for the promise that nobody awaits', async () => {
    await expect(collect(failing())).rejects.toThrow('broken')
    await nextTick()
    expect(unhandled).toEqual([])
  })

  test('a loop that was left has nothing unhandled either', async () => {
    const { promise: cancelled, resolve: cancel } = Promise.withResolvers<void>()
    const execution = new RunningExecution(
      async (events) => {
        void say(events, 'a')
        await cancelled
        throw new Error('broken')
      },
      () => cancel(),
    )
    for await (const _ of execution) break
    await nextTick()
    expect(unhandled).toEqual([])
  })

  test('the loop and the promise both tell it', async () => {
    const execution = failing()
    await expect(collect(execution)).rejects.toThrow('broken')
    await expect(execution).rejects.toThrow('broken')
  })

  test('it is unhandled when nobody looks at all, as with every promise', async () => {
    failing()
    await nextTick()
    expect(unhandled).toHaveLength(1)
  })
})
