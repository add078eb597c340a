import { expect, it } from 'vitest'
import { Redactor, redactBundle, redactNotice, redactValue } from './redactor.ts'

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

it('redacts secrets in numbers and in bytes', () => {
  const secrets = new Redactor(['8675309123', 'pässword'])
  const hide = (value: unknown) => redactValue(value, (text) => secrets.redact(text))
  const bytes = (content: string | Buffer) => ({ $bytes: Buffer.from(content).toString('base64') })
  expect(hide([8675309123, -8675309123.5, 867, true, null])).toEqual([
    '[redacted]',
    '-[redacted].5',
    867,
    true,
    null,
  ])
  expect(hide({ data: bytes('a pässword') })).toEqual({ data: bytes('a [redacted]') })
  const cut = Buffer.concat([Buffer.from([0xff, 0xe2, 0x82]), Buffer.from('pässword'), Buffer.from([0xc3])])
  expect(hide(bytes(cut))).toEqual(bytes('\uFFFD\uFFFD[redacted]\uFFFD'))
  const kept = bytes(Buffer.from([0xff, 0x00, 0xc3]))
  expect(hide(kept)).toEqual(kept)
})
