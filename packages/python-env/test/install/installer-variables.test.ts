import { expect, onTestFinished, test, vi } from 'vitest'
import { installEnvironment } from '../../src/install/installer-variables.ts'

test.each([
  ['PIP_INDEX_URL', true],
  ['pip_index_url', true],
  ['UV_DEFAULT_INDEX', true],
  ['https_proxy', true],
  ['SSL_CERT_FILE', true],
  ['UV_INDEX_PRIVATE_PASSWORD', true],
  ['UV_INDEX_PRIVATE_USERNAME', true],
  ['UV_PUBLISH_PASSWORD', false],
  ['UV_INDEX__TOKEN', false],
  ['MY_UV_INDEX_PRIVATE_PASSWORD', false],
  ['TWINE_PASSWORD', false],
  ['DATABASE_URL', false],
])('an installer gets %s of this process: %s', (name, isPassed) => {
  vi.stubEnv(name, 'a value')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(Object.hasOwn(installEnvironment({}), name)).toBe(isPassed)
  expect(installEnvironment({ [name]: 'given' })).toMatchObject({ [name]: 'given' })
})
