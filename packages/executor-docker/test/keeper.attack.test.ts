import { uniqueSeconds } from '@fenced/core/testing'
import { describe, expect, it } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { sh } from './blocks.ts'
import { rawEngine } from './raw-engine.ts'
import { docker } from './requirements.ts'

/** Users that something in a container could belong to as well. */
const users = ['65534:65534', 'nobody', '64999:64999', '0:0']

describe.skipIf(docker.missing).each(users)('code of the user %s', (user) => {
  it('neither stops what ends its container in time nor writes into the log of the engine', async () => {
    const containerName = `fenced-test-keeper-${uniqueSeconds()}`
    await using executor = new DockerCommandLineCodeExecutor({
      image: 'fenced-test/python',
      user,
      containerName,
    })
    const attack = sh(
      'kill -STOP 1 2>&1 && echo stopped',
      'kill -KILL 1 2>&1 && echo killed',
      '(echo x > /proc/1/fd/1) 2>&1 && echo written',
      'read -r _ _ state _ < /proc/1/stat; echo "state $state"',
    )
    const { output } = await executor.execute([attack])
    expect(output).not.toMatch(/stopped|killed|written/)
    expect(output).toMatch(/state S\n$/)
    const { HostConfig } = await (await rawEngine()).getContainer(containerName).inspect()
    expect(HostConfig.LogConfig?.Type).toBe('none')
  })
})
