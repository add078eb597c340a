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

it('waits longer for stdin that is on the way, as long as some of it leaves', () => {
  const liveness = new Liveness()
  const send = (byteCount: number, now: number) => {
    liveness.queued(byteCount)
    liveness.sent(byteCount, now)
  }
  send(1_024, 0)
  liveness.asked(0)
  expect(liveness.isLost(10_000)).toBe(true)
  for (let now = 5_000; now < 1e6; now += 50_000) {
    expect(liveness.isLost(now)).toBe(false)
    send(1_000_000, now)
  }
  send(1, 1e6)
  expect(liveness.isLost(1e6 + 59_999)).toBe(false)
  expect(liveness.isLost(1e6 + 60_000)).toBe(true)
  liveness.stdin = 'readAtOnce'
  expect(liveness.isLost(1e6 + 14_999)).toBe(false)
  expect(liveness.isLost(1e6 + 15_000)).toBe(true)
  liveness.heard()
  liveness.asked(2e6)
  liveness.queued(2_000)
  expect(liveness.isLost(2e6 + 14_999)).toBe(false)
  liveness.heard()
  liveness.asked(3e6)
  expect(liveness.isLost(3e6 + 14_999)).toBe(false)
  expect(liveness.isLost(3e6 + 15_000)).toBe(true)
})
