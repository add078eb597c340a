import { parseOptions } from '@fenced/core/driver'
import { expect, it } from 'vitest'
import { networkAccess, networkOptionSchema, networkParticulars } from './network-options.ts'

const read = (option: unknown) => parseOptions(networkOptionSchema, option, 'a test')

it('reads no network, an open network, and an allowlist', () => {
  expect(['none', 'open', {}].map(read).map(networkAccess)).toEqual(['none', 'open', 'list'])
  expect(['bridge', 'host'].map(networkAccess)).toEqual(['open', 'open'])
  expect(read({ allowedHosts: ['api.example.com', '*.example.org'] })).toEqual({
    allowedHosts: ['api.example.com', '*.example.org'],
    allowedCIDRs: [],
    deniedCIDRs: [],
    ports: [80, 443],
    maxConnections: 256,
    maxBytes: 10_737_418_240,
  })
})

it('refuses a list that is too wide or has no meaning', ({ everyRow }) =>
  everyRow(
    [
      ['every host', { allowedHosts: ['*'] }],
      ['a star within a name', { allowedHosts: ['api.*.example'] }],
      ['an address among the names', { allowedHosts: ['127.0.0.1'] }],
      ['a URL', { allowedHosts: ['https://api.example.com'] }],
      ['a name with a port', { allowedHosts: ['api.example.com:443'] }],
      ['an address without a range', { allowedCIDRs: ['10.0.0.1'] }],
      ['a range that is too long', { allowedCIDRs: ['10.0.0.0/33'] }],
      ['an IPv4 range in the notation of IPv6', { deniedCIDRs: ['0:0:0:0:0:ffff:10.0.0.0/104'] }],
      ['a port that there is not', { allowedHosts: ['a.example'], ports: [0] }],
      [
        'a secret that is too short to be looked for',
        { secrets: { A: { value: 'short', hosts: ['a.example'] } } },
      ],
      [
        'a secret that no header can have',
        { secrets: { A: { value: 'with a\nline', hosts: ['a.example'] } } },
      ],
      ['a secret for an address', { secrets: { A: { value: 'secret-value', hosts: ['10.0.0.1'] } } }],
      ['a secret for many hosts', { secrets: { A: { value: 'secret-value', hosts: ['*.example'] } } }],
      ['a secret for no host', { secrets: { A: { value: 'secret-value', hosts: [] } } }],
      [
        'a secret with no name of a variable',
        { secrets: { 'A B': { value: 'secret-value', hosts: ['a.example'] } } },
      ],
      ['an unknown option', { allowedHosts: ['a.example'], deniedHosts: [] }],
    ],
    (_, list) => {
      expect(() => read(list)).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }))
    },
  ))

it('says in a result what could be reached', () => {
  const list = read({
    allowedHosts: ['a.example', 'b.example'],
    allowedCIDRs: ['10.0.0.0/8'],
  })
  expect(networkParticulars(list)).toEqual({
    allowedHosts: 'a.example, b.example',
    allowedCIDRs: '10.0.0.0/8',
    ports: '80, 443',
  })
})

it('says in a result which limits and headers are not the default', () => {
  const secrets = { TOKEN: { value: 'secret-value', hosts: ['a.example'], headers: ['x-token'] } }
  const list = read({
    allowedHosts: ['a.example'],
    secrets,
    maxBytes: 1_000,
    maxConnections: 2,
  })
  expect(networkParticulars(list)).toMatchObject({
    secrets: 'TOKEN (a.example in x-token)',
    maxBytes: 1_000,
    maxConnections: 2,
  })
})

it('names secrets with their hosts, and never their values, also where they are wrong', () => {
  const secrets = { TOKEN: { value: 'secret-value', hosts: ['a.example', 'http://b.example:8080'] } }
  const list = read({ allowedHosts: ['a.example'], secrets })
  expect(networkParticulars(list)).toMatchObject({ secrets: 'TOKEN (a.example, http://b.example:8080)' })
  const wrong = { secrets: { TOKEN: { ...secrets.TOKEN, value: 'secret value' } } }
  expect(() => read(wrong)).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('secret value') }),
  )
})
