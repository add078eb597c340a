import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { CellEnd } from './cell.ts'
import { interruptCell } from './interrupt-cell.ts'

const done: CellEnd = { kind: 'done', exitCode: 0 }

beforeEach(() => void vi.useFakeTimers())

afterEach(() => void vi.useRealTimers())

/** A cell that ends, and whose kernel answers, when the test says so. */
function interrupted() {
  const [ended, running, sent] = [
    Promise.withResolvers<CellEnd>(),
    Promise.withResolvers<boolean>(),
    Promise.withResolvers<void>(),
  ]
  const cell = { isIdle: false, hasReply: false, messageCount: 0, endWith: () => {} }
  const kernel = {
    cell,
    tellsRunning: true,
    isRunning: () => running.promise,
    interrupt: vi.fn(() => sent.promise),
  }
  const end = interruptCell({ kernel, running: ended.promise, graceMs: 100_000 })
  return { ended, running, sent, cell, kernel, end }
}

it('sends no interrupt after the end of the cell', async () => {
  const { ended, running, kernel, end } = interrupted()
  ended.resolve(done)
  expect(await end).toBe(done)
  running.resolve(true)
  await vi.advanceTimersByTimeAsync(0)
  expect(kernel.interrupt).not.toHaveBeenCalled()
})

it('ends when the kernel has answered the interrupt', async () => {
  const { ended, running, sent, kernel, end } = interrupted()
  running.resolve(true)
  await vi.advanceTimersByTimeAsync(0)
  expect(kernel.interrupt).toHaveBeenCalledOnce()
  const onEnd = vi.fn()
  void end.then(onEnd)
  ended.resolve(done)
  await vi.advanceTimersByTimeAsync(0)
  expect(onEnd).not.toHaveBeenCalled()
  sent.resolve()
  expect(await end).toBe(done)
})

it('waits longer than the grace period for the output of code that has ended', async () => {
  const { ended, running, sent, cell, end } = interrupted()
  running.resolve(true)
  sent.resolve()
  await vi.advanceTimersByTimeAsync(99_000)
  cell.hasReply = true
  await vi.advanceTimersByTimeAsync(99_000)
  ended.resolve(done)
  expect(await end).toBe(done)
})

it('gives up at the end of the grace period when the code has not ended', async () => {
  const { running, sent, end } = interrupted()
  running.resolve(true)
  sent.resolve()
  await vi.advanceTimersByTimeAsync(101_000)
  expect(await end).toBe('late')
})
