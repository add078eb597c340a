import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { microtasks } from '../microtasks.fixture.ts'
import { place, quietly, readyPlace } from './stepwise-start.fixture.ts'

describe('a start with a signal', () => {
  test('that is aborted already opens nothing', async () => {
    const { shared, steps } = place()
    await expect(shared.get({ signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone')
    expect([shared.state, steps]).toEqual(['idle', []])
  })

  test('goes on for the others when one caller leaves', async () => {
    const { shared, steps, end } = place()
    const controller = new AbortController()
    const leaver = quietly(shared.get({ signal: controller.signal }))
    const stayer = shared.get()
    await microtasks()
    controller.abort(new Error('gone'))
    await expect(leaver).rejects.toThrow('gone')
    await end('open')
    await stayer
    expect([shared.state, ...steps]).toEqual(['ready', 'open'])
  })

  test.each([true, false])(
    'is ended by the last one who leaves, after what was half open is closed (heeds: %s)',
    async (heedsSignal) => {
      const { shared, steps, end } = place({ heedsSignal })
      const [first, last] = [new AbortController(), new AbortController()]
      const starts = [shared.get({ signal: first.signal }), shared.get({ signal: last.signal })].map(quietly)
      await microtasks()
      first.abort(new Error('first'))
      last.abort(new Error('last'))
      if (!heedsSignal) await end('open')
      await microtasks()
      expect([shared.state, ...steps]).toEqual(['starting', 'open', 'close'])
      await expect(starts[0]).rejects.toThrow('first')
      await end('close')
      await expect(starts[1]).rejects.toThrow('last')
      expect(shared.state).toBe('idle')
    },
  )

  test('begins again for one who comes when all others have just left', async () => {
    const { shared, steps, end } = place()
    const controller = new AbortController()
    const leaver = quietly(shared.get({ signal: controller.signal }))
    await microtasks()
    controller.abort(new Error('gone'))
    const newcomer = quietly(shared.get())
    await end('close')
    await expect(leaver).rejects.toThrow('gone')
    await end('open')
    await newcomer
    expect([shared.state, ...steps]).toEqual(['ready', 'open', 'close', 'open'])
  })

  test('can be left while a stop is under way', async () => {
    const { shared, steps, end } = await readyPlace()
    const stop = shared.stop()
    const controller = new AbortController()
    const start = quietly(shared.get({ signal: controller.signal }))
    await microtasks()
    controller.abort(new Error('gone'))
    await end('close')
    await stop
    await expect(start).rejects.toThrow('gone')
    expect([shared.state, ...steps]).toEqual(['stopped', 'close'])
  })

  test('leaves no listener on it', async () => {
    const { signal } = new AbortController()
    const { shared, end } = place()
    const start = shared.get({ signal })
    await end('open')
    await start
    for (let count = 0; count < 100; count++) await shared.get({ signal })
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})
