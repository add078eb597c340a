import { parseOptions } from '@fenced/core/driver'
import { expect, it } from 'vitest'
import { jupyterConnectionInfoSchema } from './connection-info.ts'

it.each([
  [{ ca: '/etc/ssl/ca.pem' }, { option: 'ca' }],
  [{ caFile: '/etc/ssl/ca.pem' }, { option: 'caFile', suggestion: 'ca' }],
])('refuses the path of a certificate: %j', (certificate, data) => {
  const address = { host: 'jupyter.example', useHttps: true, ...certificate }
  expect(() => parseOptions(jupyterConnectionInfoSchema, address, 'a test')).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS', data }),
  )
})
