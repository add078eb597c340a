import { uniqueSeconds } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { python, sh } from './blocks.ts'
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
    expect(output).toMatch(/state [SRD]\n$/)
    const { HostConfig } = await (await rawEngine()).getContainer(containerName).inspect()
    expect(HostConfig.LogConfig?.Type).toBe('none')
  })
})

describe.skipIf(docker.missing)('code that uses up every process of its container', () => {
  it('does not end what keeps it', async () => {
    await using executor = new DockerCommandLineCodeExecutor({
      image: 'fenced-test/python',
      pids: 40,
      // It looks every second.
      idleTimeoutMs: 10_000,
    })
    const greedy = python(
      'import os, time',
      'end = time.time() + 4',
      'while time.time() < end:',
      '    try: os.fork()',
      '    except OSError: pass',
    )
    await executor.execute([sh('touch /tmp/here')])
    await executor.execute([greedy])
    expect(await executor.execute([sh('ls /tmp/here')])).toMatchObject({ status: 'ok' })
  })
})
