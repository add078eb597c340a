import { expect, it } from 'vitest'
import { readDockerServerOptions } from './docker-server-options.ts'

it('refuses an allowlist, which needs a sandbox of the caller', () => {
  expect(() => readDockerServerOptions({ network: { allowedHosts: ['a.example'] } })).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: 'network' } }),
  )
})
