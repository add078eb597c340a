import { parseOptions } from '@fenced/core/driver'
import { expect, it } from 'vitest'
import { jupyterConnectionInfoSchema } from './connection-info.ts'

it.each([
  [{ caFile: '/no/such/ca.pem' }, { option: 'caFile' }],
  [{ ca: '-----BEGIN CERTIFICATE-----' }, { option: 'ca', suggestion: 'caFile' }],
])('refuses certificates that are not in a file: %j', (certificate, data) => {
  const address = { host: 'jupyter.example', useHttps: true, ...certificate }
  expect(() => parseOptions(jupyterConnectionInfoSchema, address, 'a test')).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS', data }),
  )
})
