import { expect, it } from 'vitest'
import { hasNetwork, readDockerServerOptions } from './docker-server-options.ts'

it.each([
  [undefined, false],
  [true, true],
  ['of-the-team', true],
  [false, false],
  ['none', false],
  ['deny-all', false],
] as const)('network: %j of a server is read as that of a container: %s', (network, expected) => {
  expect(hasNetwork(readDockerServerOptions({ network }))).toBe(expected)
})

it('refuses an allowlist, which needs a sandbox of the caller', () => {
  expect(() => readDockerServerOptions({ network: { mode: 'custom', allowedHosts: ['a.example'] } })).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: 'network' } }),
  )
})
