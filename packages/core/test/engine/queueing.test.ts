import { getEventListeners } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { collect } from '../../src/engine/collect.fixture.ts'
import { blocks, fakeExecutor, ok } from '../../src/engine/fake-driver.fixture.ts'
import { HostWorkDirectory } from '../../src/work-directory/host-work-directory.ts'
import { reached } from './reached.ts'
import { stopClock } from './stop-clock.ts'

/** A program that runs until it is released, or a start that takes until then. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { program: () => promise.then(() => ok), start: () => promise, release: resolve }
}

describe('calls', () => {
  test('run one after the other, in the order in which they were made', async () => {
    let running = 0
    const alone = async () => {
      running++
      await new Promise(setImmediate)
      expect(running--).toBe(1)
      return ok
    }
    const { executor, steps } = fakeExecutor({ programs: { a: alone, b: alone, c: alone } })
    await Promise.all([
      executor.execute(blocks('a', 'b')),
      executor.execute(blocks('c')),
      executor.execute(blocks('a')),
    ])
    expect(steps).toEqual(['start', 'run a', 'run b', 'run c', 'run a'])
  })

  test('say how long they waited, which counts towards no time limit', async () => {
    stopClock()
    const { program, release } = held()
    const { executor, steps } = fakeExecutor({ programs: { held: program } })
    const earlier = executor.execute(blocks('held'))
    const later = executor.execute(blocks('hello'), { timeoutMs: 300 })
    await reached(steps, 'run held')
    vi.advanceTimersByTime(400)
    release()
    expect(await earlier).toMatchObject({ status: 'ok', queuedMs: 0, durationMs: 400 })
    expect(await later).toMatchObject({ status: 'ok', queuedMs: 400, durationMs: 0 })
  })

  test('do not pay for the start of the sandbox with their time limit either', async () => {
    stopClock()
    const { start, release } = held()
    const { executor, steps } = fakeExecutor({ start })
    const execution = executor.execute(blocks('ok'), { timeoutMs: 300 })
    await reached(steps, 'start')
    vi.advanceTimersByTime(400)
    release()
    expect(await execution).toMatchObject({ status: 'ok', queuedMs: 400 })
  })

  test('do not pay for what a language needs before its first block', async () => {
    stopClock()
    const { executor } = fakeExecutor({ prepare: async () => void vi.advanceTimersByTime(1_000) })
    const result = await executor.execute(blocks('hello'), { timeoutMs: 500 })
    expect(result).toMatchObject({ status: 'ok', durationMs: 0 })
  })

  test('have a time limit for each of their blocks, which is the executor’s own unless they say another', async () => {
    stopClock()
    const slow = async () => {
      vi.advanceTimersByTime(200)
      return ok
    }
    const { executor, steps } = fakeExecutor({ programs: { slow }, options: { timeoutMs: 500 } })
    const execution = executor.execute(blocks('slow', 'slow', 'slow', 'endless'))
    await reached(steps, 'run endless')
    vi.advanceTimersByTime(500)
    const result = await execution
    expect(result.blocks.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'timeout'])
  })
})

describe('cancelling', () => {
  test.each<[when: string, before: string[]]>([
    ['before anything began', []],
    ['while another call runs', ['endless']],
  ])('%s runs nothing and starts nothing', async (_, before) => {
    const { executor, steps } = fakeExecutor()
    const earlier = before.length === 0 ? undefined : executor.execute(blocks(...before))
    if (earlier !== undefined) await reached(steps, 'run endless')
    const controller = new AbortController()
    if (earlier === undefined) controller.abort()
    const execution = executor.execute(blocks('ok'), { signal: controller.signal })
    await new Promise(setImmediate)
    controller.abort(new Error('a reason of their own'))
    expect(await execution).toMatchObject({
      status: 'cancelled',
      exitCode: 125,
      blocks: [],
      output: expect.stringContaining('nothing was run'),
    })
    expect(steps).toEqual(before.length === 0 ? [] : ['start', 'run endless'])
    await executor.stop()
    expect((await earlier)?.status ?? 'cancelled').toBe('cancelled')
  })

  test('during the start leaves nothing behind, although the driver ends with an error of its own', async () => {
    const workDirectory = new HostWorkDirectory()
    const { executor, steps } = fakeExecutor({
      workDirectory,
      start: ({ signal }) => sleep(60_000, undefined, { signal }),
    })
    const controller = new AbortController()
    const execution = executor.execute(blocks('ok'), { signal: controller.signal })
    await reached(steps, 'start')
    controller.abort()
    expect(await execution).toMatchObject({ status: 'cancelled', exitCode: 125, blocks: [] })
    expect(steps).toEqual(['start', 'stop'])
    expect(existsSync(workDirectory.path)).toBe(false)
  })

  test('before the start makes no temporary directory', async () => {
    const workDirectory = new HostWorkDirectory()
    const { executor } = fakeExecutor({ workDirectory })
    await executor.execute(blocks('ok'), { signal: AbortSignal.abort() })
    expect(existsSync(workDirectory.path)).toBe(false)
  })

  test('while a program runs ends it and keeps what came before', async () => {
    const { executor, steps } = fakeExecutor()
    const controller = new AbortController()
    const execution = executor.execute(blocks('hello', 'endless', 'ok'), { signal: controller.signal })
    await reached(steps, 'run endless')
    controller.abort()
    const result = await execution
    expect(result).toMatchObject({
      status: 'cancelled',
      exitCode: 125,
    })
    const [notice] = result.blocks[1]?.notices ?? []
    expect(notice).toMatchObject({ code: 'cancelled' })
    expect(result.output).toBe(`hello\n${notice?.message}\n`)
    expect(result.blocks).toHaveLength(2)
  })

  test('one call leaves the others alone', async () => {
    const { executor, steps } = fakeExecutor()
    const controller = new AbortController()
    const cancelled = executor.execute(blocks('endless'), { signal: controller.signal })
    const other = executor.execute(blocks('hello'))
    await reached(steps, 'run endless')
    controller.abort()
    expect([(await cancelled).status, (await other).status]).toEqual(['cancelled', 'ok'])
  })

  test('by leaving the loop waits until the program has stopped', async () => {
    const { executor } = fakeExecutor()
    const execution = executor.execute(blocks('hello', 'endless'))
    for await (const event of execution) if (event.type === 'block-end') break
    expect((await execution).status).toBe('cancelled')
    expect((await executor.execute(blocks('ok'))).status).toBe('ok')
  })

  test('after the end changes nothing', async () => {
    const { executor } = fakeExecutor()
    const controller = new AbortController()
    const execution = executor.execute(blocks('hello'), { signal: controller.signal })
    await execution
    controller.abort()
    expect((await execution).status).toBe('ok')
    expect(await collect(execution)).toHaveLength(4)
  })

  test('leaves no listeners on a signal that lives for a thousand calls', async () => {
    const { executor } = fakeExecutor()
    const { signal } = new AbortController()
    for (let count = 0; count < 1_000; count++) await executor.execute(blocks('ok'), { signal })
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})
