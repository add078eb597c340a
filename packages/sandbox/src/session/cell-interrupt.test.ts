import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { CellInterrupt } from './cell-interrupt.ts'

beforeEach(() => void vi.useFakeTimers())

afterEach(() => void vi.useRealTimers())

/** The interrupt of a cell that was to end at once. */
function interrupted() {
  const keeper = {
    killGraceMs: 1_000,
    order: vi.fn(),
    continue: vi.fn(),
    held: async () => {},
    silent: vi.fn(),
  }
  return { keeper, interrupt: new CellInterrupt(AbortSignal.abort(), keeper) }
}

it('calls a keeper silent that does not confirm the order', async () => {
  const { keeper, interrupt } = interrupted()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(keeper.silent).toHaveBeenCalledOnce()
  interrupt[Symbol.dispose]()
})

it('calls no keeper silent from which something comes', async () => {
  const { keeper, interrupt } = interrupted()
  for (let round = 0; round < 10; round++) {
    await vi.advanceTimersByTimeAsync(3_000)
    interrupt.heard()
  }
  expect(keeper.silent).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(keeper.silent).toHaveBeenCalledOnce()
  interrupt[Symbol.dispose]()
})

it('gives a keeper that has confirmed the order the grace period of the cell', async () => {
  const { keeper, interrupt } = interrupted()
  interrupt.confirmed()
  await vi.advanceTimersByTimeAsync(4_500)
  expect(keeper.silent).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1_500)
  expect(keeper.silent).toHaveBeenCalledOnce()
  interrupt[Symbol.dispose]()
})

it('does nothing after the end of the cell', async () => {
  const { keeper, interrupt } = interrupted()
  interrupt[Symbol.dispose]()
  interrupt.heard()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(keeper.silent).not.toHaveBeenCalled()
})
