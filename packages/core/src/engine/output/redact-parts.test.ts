import { expect, it } from 'vitest'
import { redactBundle, redactNotice } from './redactor.ts'

const redact = (text: string) => text.replaceAll('e', '[redacted]')

it('redacts what a notice says, and none of its fields', () => {
  expect(redactNotice({ code: 'timeout', message: 'the end', data: { module: 'yes' } }, redact)).toEqual({
    code: 'timeout',
    message: 'th[redacted] [redacted]nd',
    data: { module: 'y[redacted]s' },
  })
})

it('redacts a result deeply, with the names in its data and without its MIME types', () => {
  expect(redactBundle({ 'text/html': 'e', 'application/json': { e: ['e', 1, null] } }, redact)).toEqual({
    'text/html': '[redacted]',
    'application/json': { '[redacted]': ['[redacted]', 1, null] },
  })
})
