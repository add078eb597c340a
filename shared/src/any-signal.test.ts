import { expect, it } from 'vitest'
// @boundaries-ignore Tests of core use it as well; no package exports it.
import { foreignSignal } from '../../packages/core/src/running/foreign-signal.fixture.ts'
import { anySignal } from './any-signal.ts'

it('is aborted with any of its signals, also with one of another realm', () => {
  const own = new AbortController()
  const { signal, abort } = foreignSignal()
  const either = anySignal([own.signal, signal])
  expect(either.aborted).toBe(false)
  abort('over there')
  expect([either.aborted, either.reason]).toEqual([true, 'over there'])
  expect(anySignal([own.signal, signal]).aborted).toBe(true)
})

it('listens once to a signal, however often it is given', () => {
  const { signal, listeners } = foreignSignal()
  for (let count = 0; count < 3; count++) anySignal([signal])
  expect(listeners()).toBe(1)
})
