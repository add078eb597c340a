import { expect, it } from 'vitest'
import { Liveness } from './liveness.ts'

it('is over when a question has no answer for 10 seconds', () => {
  const liveness = new Liveness()
  expect(liveness.isLost(1e9)).toBe(false)
  liveness.asked(1_000)
  liveness.asked(6_000)
  expect(liveness.isLost(10_999)).toBe(false)
  expect(liveness.isLost(11_000)).toBe(true)
  liveness.heard()
  expect(liveness.isLost(1e9)).toBe(false)
})

it('waits longer for what is on the way, until something comes', () => {
  const liveness = new Liveness()
  liveness.sent(1_024)
  liveness.asked(0)
  expect(liveness.isLost(10_000)).toBe(true)
  liveness.sent(2_560_000 - 1_024)
  expect(liveness.isLost(29_999)).toBe(false)
  expect(liveness.isLost(30_000)).toBe(true)
  liveness.heard()
  liveness.asked(40_000)
  expect(liveness.isLost(50_000)).toBe(true)
})
