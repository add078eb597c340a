import { expect, it } from 'vitest'
import { FencedError } from './fenced-error.ts'

it('shows the hidden characters of what it tells of as escapes, wherever it is printed', () => {
  const error = new FencedError({
    code: 'DRIVER_FAILED',
    message: 'No file a\u202Eb\u001B]0;owned\u0007.\nMake it.',
  })
  expect(error.message).toBe('No file a[U+202E]b␛]0;owned␇.\nMake it.')
  expect(error.stack).toContain(error.message)
})

it('shows the beginning and the end of a message that is too long', () => {
  const error = new FencedError({ code: 'DRIVER_FAILED', message: `Begin ${'x'.repeat(1e6)} next step.` })
  expect(error.message).toMatch(/^Begin x+ \[\d+ characters omitted\] x+ next step\.$/)
  expect(error.message.length).toBeLessThan(9_000)
})

it('has the values of its message for programs, as they are', () => {
  const data = { path: 'a\u202Eb', limit: '5' }
  const error = new FencedError({ code: 'DRIVER_FAILED', message: `No file ${data.path}. Make it.`, data })
  expect(error.data).toEqual({ path: 'a\u202Eb', limit: '5' })
})
