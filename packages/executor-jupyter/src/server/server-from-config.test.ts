import { expect, test } from 'vitest'
import { serverFromConfig } from './server-from-config.ts'

test('says which import makes a server in Docker known', () => {
  const config = { provider: 'DockerJupyterServer', version: 1, config: {} }
  const known = 'LocalJupyterServer'
  const data = { provider: 'DockerJupyterServer', known, package: '@fenced/executor-jupyter/docker' }
  expect(() => serverFromConfig(config)).toThrow(expect.objectContaining({ code: 'UNKNOWN_COMPONENT', data }))
})
