import { describe, expect, test } from 'vitest'
import type { LifeCycle } from './life-cycle.ts'
import { place, quietly, readyPlace, settle } from './stepwise-place.fixture.ts'

describe('start', () => {
  test('opens an idle place and does nothing to a ready one', async () => {
    const { lifeCycle, steps, end } = place()
    expect(lifeCycle.state).toBe('idle')
    const start = lifeCycle.start()
    await settle()
    expect(lifeCycle.state).toBe('starting')
    await end('open')
    await start
    expect(lifeCycle.state).toBe('ready')
    await lifeCycle.start()
    expect(steps).toEqual(['open'])
  })

  test('is shared by calls at the same time', async () => {
    const { lifeCycle, steps, end } = place()
    const starts = [lifeCycle.start(), lifeCycle.start(), lifeCycle.start()]
    await end('open')
    await Promise.all(starts)
    expect(steps).toEqual(['open'])
  })

  test('that fails closes what is half open, tells every caller, and can be tried again', async () => {
    const { lifeCycle, steps, end } = place()
    const starts = [lifeCycle.start(), lifeCycle.start()].map(quietly)
    await end('open', new Error('no place'))
    await end('close')
    for (const start of starts) await expect(start).rejects.toThrow('no place')
    expect(lifeCycle.state).toBe('idle')
    const again = lifeCycle.start()
    await end('open')
    await again
    expect(steps).toEqual(['open', 'close', 'open'])
  })

  test('that fails and cannot be closed either tells why the start failed, and the next start closes first', async () => {
    const { lifeCycle, steps, end } = place()
    const start = quietly(lifeCycle.start())
    await end('open', new Error('no place'))
    await end('close', new Error('does not close'))
    await expect(start).rejects.toThrow('no place')
    expect(lifeCycle.state).toBe('broken')
    const again = lifeCycle.start()
    await end('close')
    await end('open')
    await again
    expect(steps).toEqual(['open', 'close', 'close', 'open'])
  })

  test('after stop opens the place again', async () => {
    const { lifeCycle, steps, end } = await readyPlace()
    const stop = lifeCycle.stop()
    await end('close')
    await stop
    const start = lifeCycle.start()
    await end('open')
    await start
    expect([lifeCycle.state, ...steps]).toEqual(['ready', 'close', 'open'])
  })
})

describe('stop', () => {
  test('of a place that was never opened closes nothing', async () => {
    const { lifeCycle, steps } = place()
    await lifeCycle.stop()
    await lifeCycle.stop()
    expect([lifeCycle.state, steps]).toEqual(['stopped', []])
  })

  test('is shared by calls at the same time, and again does nothing', async () => {
    const { lifeCycle, steps, end } = await readyPlace()
    const stops = [lifeCycle.stop(), lifeCycle.stop()]
    expect(lifeCycle.state).toBe('stopping')
    await end('close')
    await Promise.all(stops)
    await lifeCycle.stop()
    expect([lifeCycle.state, ...steps]).toEqual(['stopped', 'close'])
  })

  test('that fails can be tried again', async () => {
    const { lifeCycle, steps, end } = await readyPlace()
    const stop = quietly(lifeCycle.stop())
    await end('close', new Error('does not close'))
    await expect(stop).rejects.toThrow('does not close')
    expect(lifeCycle.state).toBe('broken')
    const again = lifeCycle.stop()
    await end('close')
    await again
    expect([lifeCycle.state, ...steps]).toEqual(['stopped', 'close', 'close'])
  })

  test.each([true, false])(
    'during a start ends the start and leaves nothing open (heeds: %s)',
    async (heedsSignal) => {
      const { lifeCycle, steps, end } = place({ heedsSignal })
      const start = quietly(lifeCycle.start())
      await settle()
      const stop = lifeCycle.stop()
      if (!heedsSignal) await end('open')
      await end('close')
      await stop
      await expect(start).rejects.toMatchObject({ code: 'EXECUTOR_STOPPED' })
      expect([lifeCycle.state, ...steps]).toEqual(['stopped', 'open', 'close'])
    },
  )

  test('a start during it waits and then opens the place again', async () => {
    const { lifeCycle, steps, end } = await readyPlace()
    const stop = lifeCycle.stop()
    const start = lifeCycle.start()
    await end('close')
    await stop
    await end('open')
    await start
    expect([lifeCycle.state, ...steps]).toEqual(['ready', 'close', 'open'])
  })

  test.each<[order: string, calls: (lifeCycle: LifeCycle) => Promise<void>[]]>([
    ['start, stop', (lifeCycle) => [lifeCycle.start(), lifeCycle.stop()]],
    ['stop, start', (lifeCycle) => [lifeCycle.stop(), lifeCycle.start()]],
    ['stop, start, stop', (lifeCycle) => [lifeCycle.stop(), lifeCycle.start(), lifeCycle.stop()]],
    ['start, stop, start', (lifeCycle) => [lifeCycle.start(), lifeCycle.stop(), lifeCycle.start()]],
  ])('%s in one go never run two steps at the same time, on an idle or a ready place', async (_, calls) => {
    const idle = place()
    for (const { lifeCycle, end } of [idle, await readyPlace()]) {
      const done = Promise.allSettled(calls(lifeCycle))
      for (let round = 0; round < 4; round++) {
        await end('close').catch(() => {})
        await end('open').catch(() => {})
      }
      const failures = (await done).flatMap((one) =>
        one.status === 'rejected' ? [(one.reason as { code?: string }).code] : [],
      )
      expect(new Set(failures)).toSatisfy(
        (codes: Set<string>) => codes.size === 0 || (codes.size === 1 && codes.has('EXECUTOR_STOPPED')),
      )
    }
  })
})

describe('a broken place', () => {
  test('is closed before it is opened again', async () => {
    const { lifeCycle, steps, end } = await readyPlace()
    lifeCycle.markBroken()
    expect(lifeCycle.state).toBe('broken')
    const start = lifeCycle.start()
    await end('close')
    await end('open')
    await start
    expect([lifeCycle.state, ...steps]).toEqual(['ready', 'close', 'open'])
  })

  test('that cannot be closed is not opened', async () => {
    const { lifeCycle, steps, end } = await readyPlace()
    lifeCycle.markBroken()
    const start = quietly(lifeCycle.start())
    await end('close', new Error('does not close'))
    await expect(start).rejects.toThrow('does not close')
    expect([lifeCycle.state, ...steps]).toEqual(['broken', 'close'])
  })

  test('is closed by stop', async () => {
    const { lifeCycle, steps, end } = await readyPlace()
    lifeCycle.markBroken()
    const stop = lifeCycle.stop()
    await end('close')
    await stop
    expect([lifeCycle.state, ...steps]).toEqual(['stopped', 'close'])
  })

  test.each(['idle', 'stopped'] as const)('cannot come from an %s one', async (state) => {
    const { lifeCycle } = place()
    if (state === 'stopped') await lifeCycle.stop()
    lifeCycle.markBroken()
    expect(lifeCycle.state).toBe(state)
  })
})
