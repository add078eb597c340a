import { getEventListeners } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { collect } from '../../src/engine/collect.fixture.ts'
import { blocks, fakeExecutor, ok, reached } from '../../src/engine/fake-driver.fixture.ts'
import { HostWorkDirectory } from '../../src/work-directory/host-work-directory.ts'

const slow = async () => {
  await sleep(200)
  return ok
}

describe('calls', () => {
  test('run one after the other, in the order in which they were made', async () => {
    let running = 0
    const alone = async () => {
      running++
      await sleep(2)
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
    const { executor } = fakeExecutor({ programs: { slow } })
    const earlier = executor.execute(blocks('slow', 'slow'))
    const result = await executor.execute(blocks('hello'), { timeoutMs: 300 })
    expect(result.status).toBe('ok')
    expect(result.queuedMs).toBeGreaterThan(390)
    expect((await earlier).durationMs).toBeGreaterThan(390)
    expect((await earlier).queuedMs).toBeLessThan(result.queuedMs)
  })

  test('do not pay for the start of the sandbox with their time limit either', async () => {
    const { executor } = fakeExecutor({ start: () => sleep(400) })
    const result = await executor.execute(blocks('ok'), { timeoutMs: 300 })
    expect(result.status).toBe('ok')
    expect(result.queuedMs).toBeGreaterThan(390)
  })

  test('do not pay for what a language needs before its first block', async () => {
    const { executor } = fakeExecutor({ prepare: () => sleep(1_000) })
    const result = await executor.execute(blocks('hello'), { timeoutMs: 500 })
    expect(result.status).toBe('ok')
    expect(result.durationMs).toBeLessThan(1_000)
  })

  test('have a time limit for each of their blocks, which is the executor’s own unless they say another', async () => {
    const { executor } = fakeExecutor({ programs: { slow }, options: { timeoutMs: 500 } })
    const result = await executor.execute(blocks('slow', 'slow', 'slow', 'endless'))
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
    const execution = executor.execute(blocks('ok'), { signal: AbortSignal.timeout(20) })
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
    const { executor } = fakeExecutor()
    const result = await executor.execute(blocks('hello', 'endless', 'ok'), {
      signal: AbortSignal.timeout(20),
    })
    expect(result).toMatchObject({
      status: 'cancelled',
      exitCode: 125,
      output: 'hello\nCancelled: the program was stopped because the caller asked for it.\n',
    })
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
