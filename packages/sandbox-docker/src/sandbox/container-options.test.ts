import { expect, it } from 'vitest'
import { engineNetworkOf } from './container-options.ts'
import { readSandboxOptions } from './sandbox-options.ts'

it.each([
  [undefined, 'none'],
  [false, 'none'],
  ['deny-all', 'none'],
  ['none', 'none'],
  [{ mode: 'deny-all' }, 'none'],
  [{ mode: 'custom' }, 'none'],
  [true, 'bridge'],
  ['allow-all', 'bridge'],
  [{ mode: 'allow-all' }, 'bridge'],
  ['of-the-team', 'of-the-team'],
] as const)('the option network: %j is the network %s of the engine', (network, expected) => {
  expect(engineNetworkOf(readSandboxOptions({ network }))).toBe(expected)
})
