import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FencedError } from '../src/index.ts'

const second: string = join(import.meta.dirname, '../src/fenced-error.ts?second')
const other: typeof import('../src/fenced-error.ts') = await import(second)

it('an error of another copy of this package is an instance of FencedError', () => {
  const error: unknown = new other.FencedError({ code: 'DRIVER_FAILED', message: 'It failed.' })
  expect(other.FencedError).not.toBe(FencedError)
  expect(error).toBeInstanceOf(FencedError)
  expect(new TypeError('It failed.')).not.toBeInstanceOf(FencedError)
  expect(FencedError.prototype).not.toBeInstanceOf(FencedError)
})

it('a class that extends FencedError has its own instances only', () => {
  class OwnError extends FencedError {}
  const options = { code: 'OWN', message: 'It failed.' }
  expect(new OwnError(options)).toBeInstanceOf(OwnError)
  expect(new OwnError(options)).toBeInstanceOf(other.FencedError)
  expect(new other.FencedError(options)).not.toBeInstanceOf(OwnError)
})
