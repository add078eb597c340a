import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { place, quietly, readyPlace, settle } from './stepwise-place.fixture.ts'

describe('a start with a signal', () => {
  test('that is aborted already opens nothing', async () => {
    const { lifeCycle, steps } = place()
    await expect(lifeCycle.start(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
    expect([lifeCycle.state, steps]).toEqual(['idle', []])
  })

  test('goes on for the others when one caller leaves', async () => {
    const { lifeCycle, steps, end } = place()
    const controller = new AbortController()
    const leaver = quietly(lifeCycle.start(controller.signal))
    const stayer = lifeCycle.start()
    await settle()
    controller.abort(new Error('gone'))
    await expect(leaver).rejects.toThrow('gone')
    await end('open')
    await stayer
    expect([lifeCycle.state, ...steps]).toEqual(['ready', 'open'])
  })

  test.each([true, false])(
    'is ended by the last one who leaves, after what was half open is closed (heeds: %s)',
    async (heedsSignal) => {
      const { lifeCycle, steps, end } = place({ heedsSignal })
      const [first, last] = [new AbortController(), new AbortController()]
      const starts = [lifeCycle.start(first.signal), lifeCycle.start(last.signal)].map(quietly)
      await settle()
      first.abort(new Error('first'))
      last.abort(new Error('last'))
      if (!heedsSignal) await end('open')
      await settle()
      expect([lifeCycle.state, ...steps]).toEqual(['starting', 'open', 'close'])
      await expect(starts[0]).rejects.toThrow('first')
      await end('close')
      await expect(starts[1]).rejects.toThrow('last')
      expect(lifeCycle.state).toBe('idle')
    },
  )

  test('begins anew for one who comes when all others have just left', async () => {
    const { lifeCycle, steps, end } = place()
    const controller = new AbortController()
    const leaver = quietly(lifeCycle.start(controller.signal))
    await settle()
    controller.abort(new Error('gone'))
    const newcomer = quietly(lifeCycle.start())
    await end('close')
    await expect(leaver).rejects.toThrow('gone')
    await end('open')
    await newcomer
    expect([lifeCycle.state, ...steps]).toEqual(['ready', 'open', 'close', 'open'])
  })

  test('can be left while a stop is under way', async () => {
    const { lifeCycle, steps, end } = await readyPlace()
    const stop = lifeCycle.stop()
    const controller = new AbortController()
    const start = quietly(lifeCycle.start(controller.signal))
    await settle()
    controller.abort(new Error('gone'))
    await end('close')
    await stop
    await expect(start).rejects.toThrow('gone')
    expect([lifeCycle.state, ...steps]).toEqual(['stopped', 'close'])
  })

  test('leaves no listener on it', async () => {
    const { signal } = new AbortController()
    const { lifeCycle, end } = place()
    const start = lifeCycle.start(signal)
    await end('open')
    await start
    for (let count = 0; count < 100; count++) await lifeCycle.start(signal)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})
