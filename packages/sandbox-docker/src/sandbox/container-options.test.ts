import { expect, it } from 'vitest'
import { engineNetworkOf } from './container-options.ts'
import { readSandboxOptions } from './sandbox-options.ts'

it.each([
  [undefined, 'none'],
  ['none', 'none'],
  [{}, 'none'],
  ['open', 'bridge'],
  ['of-the-team', 'of-the-team'],
] as const)('the option network: %j is the network %s of the engine', (network, expected) => {
  expect(engineNetworkOf(readSandboxOptions({ network }))).toBe(expected)
})

it.each(['list', 'allow-all', 'deny-all', '', true])('the option network: %j is refused', (network) => {
  expect(() => readSandboxOptions({ network: network as string })).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: 'network' } }),
  )
})
