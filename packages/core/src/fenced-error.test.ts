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
