import { describe, expect, test } from 'vitest'
import { microtasks } from '../microtasks.fixture.ts'
import type { SharedStart } from './shared-start.ts'
import { place, quietly, readyPlace } from './stepwise-start.fixture.ts'

describe('start', () => {
  test('opens an idle place and does nothing to a ready one', async () => {
    const { shared, steps, end } = place()
    expect(shared.state).toBe('idle')
    const start = shared.get()
    await microtasks()
    expect(shared.state).toBe('starting')
    await end('open')
    await start
    expect(shared.state).toBe('ready')
    await shared.get()
    expect(steps).toEqual(['open'])
  })

  test('is shared by calls at the same time', async () => {
    const { shared, steps, end } = place()
    const starts = [shared.get(), shared.get(), shared.get()]
    await end('open')
    await Promise.all(starts)
    expect(steps).toEqual(['open'])
  })

  test('that fails closes what is half open, tells every caller, and can be tried again', async () => {
    const { shared, steps, end } = place()
    const starts = [shared.get(), shared.get()].map(quietly)
    await end('open', new Error('no sandbox'))
    await end('close')
    for (const start of starts) await expect(start).rejects.toThrow('no sandbox')
    expect(shared.state).toBe('idle')
    const again = shared.get()
    await end('open')
    await again
    expect(steps).toEqual(['open', 'close', 'open'])
  })

  test('that fails and cannot be closed either tells why the start failed, and the next start closes first', async () => {
    const { shared, steps, end } = place()
    const start = quietly(shared.get())
    await end('open', new Error('no sandbox'))
    await end('close', new Error('does not close'))
    await expect(start).rejects.toThrow('no sandbox')
    expect(shared.state).toBe('broken')
    const again = shared.get()
    await end('close')
    await end('open')
    await again
    expect(steps).toEqual(['open', 'close', 'close', 'open'])
  })

  test('after stop opens the place again', async () => {
    const { shared, steps, end } = await readyPlace()
    const stop = shared.stop()
    await end('close')
    await stop
    const start = shared.get()
    await end('open')
    await start
    expect([shared.state, ...steps]).toEqual(['ready', 'close', 'open'])
  })
})

describe('stop', () => {
  test('of a place that was never opened closes nothing', async () => {
    const { shared, steps } = place()
    await shared.stop()
    await shared.stop()
    expect([shared.state, steps]).toEqual(['stopped', []])
  })

  test('is shared by calls at the same time, and again does nothing', async () => {
    const { shared, steps, end } = await readyPlace()
    const stops = [shared.stop(), shared.stop()]
    expect(shared.state).toBe('stopping')
    await end('close')
    await Promise.all(stops)
    await shared.stop()
    expect([shared.state, ...steps]).toEqual(['stopped', 'close'])
  })

  test('that fails can be tried again', async () => {
    const { shared, steps, end } = await readyPlace()
    const stop = quietly(shared.stop())
    await end('close', new Error('does not close'))
    await expect(stop).rejects.toThrow('does not close')
    expect(shared.state).toBe('broken')
    const again = shared.stop()
    await end('close')
    await again
    expect([shared.state, ...steps]).toEqual(['stopped', 'close', 'close'])
  })

  test.each([true, false])(
    'during a start ends the start and leaves nothing open (heeds: %s)',
    async (heedsSignal) => {
      const { shared, steps, end } = place({ heedsSignal })
      const start = quietly(shared.get())
      await microtasks()
      const stop = shared.stop()
      if (!heedsSignal) await end('open')
      await end('close')
      await stop
      await expect(start).rejects.toMatchObject({ code: 'EXECUTOR_STOPPED' })
      expect([shared.state, ...steps]).toEqual(['stopped', 'open', 'close'])
    },
  )

  test('a start during it waits and then opens the place again', async () => {
    const { shared, steps, end } = await readyPlace()
    const stop = shared.stop()
    const start = shared.get()
    await end('close')
    await stop
    await end('open')
    await start
    expect([shared.state, ...steps]).toEqual(['ready', 'close', 'open'])
  })

  test.each<[order: string, calls: (shared: SharedStart<object>) => Promise<unknown>[]]>([
    ['start, stop', (shared) => [shared.get(), shared.stop()]],
    ['stop, start', (shared) => [shared.stop(), shared.get()]],
    ['stop, start, stop', (shared) => [shared.stop(), shared.get(), shared.stop()]],
    ['start, stop, start', (shared) => [shared.get(), shared.stop(), shared.get()]],
  ])('%s in one go never run two steps at the same time, on an idle or a ready place', async (_, calls) => {
    const idle = place()
    for (const { shared, end } of [idle, await readyPlace()]) {
      const done = Promise.allSettled(calls(shared))
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
    const { shared, steps, end } = await readyPlace()
    shared.markBroken()
    expect(shared.state).toBe('broken')
    const start = shared.get()
    await end('close')
    await end('open')
    await start
    expect([shared.state, ...steps]).toEqual(['ready', 'close', 'open'])
  })

  test('that cannot be closed is not opened', async () => {
    const { shared, steps, end } = await readyPlace()
    shared.markBroken()
    const start = quietly(shared.get())
    await end('close', new Error('does not close'))
    await expect(start).rejects.toThrow('does not close')
    expect([shared.state, ...steps]).toEqual(['broken', 'close'])
  })

  test('is closed by stop', async () => {
    const { shared, steps, end } = await readyPlace()
    shared.markBroken()
    const stop = shared.stop()
    await end('close')
    await stop
    expect([shared.state, ...steps]).toEqual(['stopped', 'close'])
  })

  test.each(['idle', 'stopped'] as const)('cannot come from an %s one', async (state) => {
    const { shared } = place()
    if (state === 'stopped') await shared.stop()
    shared.markBroken()
    expect(shared.state).toBe(state)
  })
})
