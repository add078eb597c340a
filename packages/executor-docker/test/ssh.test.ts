import { delimiter } from 'node:path'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { sh } from './blocks.ts'
import { ssh, sshDocker } from './requirements.ts'

describe.skipIf(sshDocker.missing)('an engine behind ssh', () => {
  it('runs blocks, brings their files, ends them in time, and leaves no ssh behind', async () => {
    // A key and a known host of its own, as they would be in ~/.ssh.
    vi.stubEnv('PATH', `${ssh.path}${delimiter}${process.env.PATH}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    const seconds = uniqueSeconds()
    const executor = new DockerCommandLineCodeExecutor({ image: 'fenced-test/busybox', docker: ssh.host })
    try {
      const made = await executor.execute([sh('echo made > made.txt; echo said')])
      expect(made).toMatchObject({ status: 'ok', output: 'said\n', files: [{ path: 'made.txt' }] })
      const stopped = await executor.execute([sh(`echo early; sleep ${seconds}`)], { timeoutMs: 5_000 })
      expect(stopped).toMatchObject({ status: 'timeout' })
      expect(stopped.output).toMatch(/^early\n/)
      expect(await processesLeft(`${seconds}`)).toEqual([])
    } finally {
      await executor.stop()
    }
    // The port tells its clients from those of other tests.
    expect(await processesLeft(`-p ${new URL(ssh.host).port} --`)).toEqual([])
  })
})
