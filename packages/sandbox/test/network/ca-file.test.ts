import { rootCertificates } from 'node:tls'
import { certificateFile } from '@fenced/testing'
import { expect, it } from 'vitest'
import { caFileSchema } from '../../src/network/ca-file.ts'

it('accepts only a file with certificates that can be read', () => {
  const cut = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'
  const isValid = (path: string) => caFileSchema.safeParse(path).success
  expect(isValid(certificateFile(rootCertificates.slice(0, 2).join('\n')))).toBe(true)
  const refused = ['/no/such/ca.pem', certificateFile(''), certificateFile(cut), rootCertificates[0] ?? '']
  expect(refused.map(isValid)).toEqual(refused.map(() => false))
})
