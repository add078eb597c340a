import { FencedError } from '@fenced/core'
import { expect, test } from 'vitest'
import { configuredServer } from './configured-server.ts'

test('says which import makes a server in Docker known', () => {
  const config = { provider: 'DockerJupyterServer', version: 1, config: {} }
  expect(() => configuredServer(config)).toThrow(FencedError)
  expect(() => configuredServer(config)).toThrow(
    /known are LocalJupyterServer\. .*import '@fenced\/executor-jupyter\/docker'/,
  )
})
