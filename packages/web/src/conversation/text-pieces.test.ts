import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { TextPieces } from './text-pieces.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function recording() {
  const written: string[] = []
  return { written, pieces: new TextPieces((text) => void written.push(text)) }
}

it('joins texts until 40 ms have passed since the first, with one timer', () => {
  const { written, pieces } = recording()
  pieces.add('a')
  vi.advanceTimersByTime(39)
  pieces.add('b')
  expect([written, vi.getTimerCount()]).toEqual([[], 1])
  vi.advanceTimersByTime(1)
  expect(written).toEqual(['ab'])
  pieces.add('c')
  vi.advanceTimersByTime(40)
  expect(written).toEqual(['ab', 'c'])
})

it('passes on 16,384 characters at once, and leaves no timer', () => {
  const { written, pieces } = recording()
  pieces.add('x'.repeat(16_383))
  expect(written).toEqual([])
  pieces.add('y')
  expect(written.map(({ length }) => length)).toEqual([16_384])
  expect(vi.getTimerCount()).toBe(0)
})

it('writes nothing where nothing is left', () => {
  const { written, pieces } = recording()
  pieces.flush()
  pieces.add('a')
  pieces.flush()
  pieces.flush()
  expect(written).toEqual(['a'])
})

it('throws an error of the log to its caller, and not from a timer', () => {
  const pieces = new TextPieces(() => {
    throw new Error('disk full')
  })
  pieces.add('a')
  expect(() => vi.advanceTimersByTime(40)).not.toThrow()
  pieces.add('b')
  expect(() => pieces.flush()).toThrow('disk full')
})
