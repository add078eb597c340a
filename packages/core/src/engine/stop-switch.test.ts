import { getEventListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { StopSwitch } from './stop-switch.ts'

test('the first cause is the one that counts, and the signal is aborted once', () => {
  using stop = new StopSwitch(new AbortController().signal)
  let abortCount = 0
  stop.signal.addEventListener('abort', () => abortCount++)
  stop.stop('output-limit')
  stop.stop('timeout')
  expect([stop.cause, stop.signal.aborted, abortCount]).toEqual(['output-limit', true, 1])
})

test.each(['before it was made', 'later'])('the caller’s signal is a cause (%s)', (when) => {
  const controller = new AbortController()
  if (when === 'before it was made') controller.abort()
  using stop = new StopSwitch(controller.signal)
  controller.abort()
  expect([stop.cause, stop.signal.aborted]).toEqual(['cancelled', true])
})

test('its time limit is a cause', async () => {
  using stop = new StopSwitch(new AbortController().signal)
  stop.startTimer(5)
  await new Promise((done) => stop.signal.addEventListener('abort', done))
  expect(stop.cause).toBe('timeout')
})

test('once disposed, neither its timer nor the caller’s signal stops anything, and no listener is left', async () => {
  const controller = new AbortController()
  const stop = new StopSwitch(controller.signal)
  stop.startTimer(5)
  stop[Symbol.dispose]()
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  controller.abort()
  await sleep(20)
  expect([stop.cause, stop.signal.aborted]).toEqual([undefined, false])
})
