import { FencedError } from '@fenced/core'
import { expect, test } from 'vitest'
import { serverFromConfig } from './server-from-config.ts'

test('says which import makes a server in Docker known', () => {
  const config = { provider: 'DockerJupyterServer', version: 1, config: {} }
  expect(() => serverFromConfig(config)).toThrow(FencedError)
  expect(() => serverFromConfig(config)).toThrow(
    /known are LocalJupyterServer\. .*import '@fenced\/executor-jupyter\/docker'/,
  )
})
