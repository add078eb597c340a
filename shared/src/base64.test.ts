import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bytesOfBase64 } from './base64.ts'

it('returns the bytes of base64, also in lines', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = Buffer.from(bytes).toString('base64')
      expect(bytesOfBase64(text)).toEqual(Buffer.from(bytes))
      expect(bytesOfBase64(`${text.replaceAll(/.{5}/g, '$&\r\n')}\n`)).toEqual(Buffer.from(bytes))
    }),
  )
})

it.each(['plain text', 'data:image/png;base64,AAEC', 'AAECA', 'AAE', 'AAF=', '_-8=', 'AA==AA==', 'AAEC!'])(
  'is nothing for %j',
  (text) => expect(bytesOfBase64(text)).toBe(undefined),
)
