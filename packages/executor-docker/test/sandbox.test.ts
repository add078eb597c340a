import { once } from 'node:events'
import { describeSandbox } from '@fenced/contract'
import { CommandLineCodeExecutor } from '@fenced/sandbox'
import { rowTags } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { DockerSandbox, type DockerSandboxOptions } from '../src/index.ts'
import { docker, podman, podmanHost } from './requirements.ts'

// Fifty processes beside each other have some two hundred.
const options: DockerSandboxOptions = { image: 'fenced-test/python', pids: 1_024, cpus: false }

const subjects = [
  { name: 'docker', missing: docker.missing, options },
  { name: 'docker, copied files', missing: docker.missing, options: { ...options, workDirMode: 'copy' } },
  { name: 'podman', missing: podman.missing, options: { ...options, docker: podmanHost } },
] as const

const rows = rowTags({ nightly: ['podman: ', 'copied files: ', 'a megabyte that is pasted'] })

for (const subject of subjects) {
  describe.skipIf(subject.missing)(`the contract of a sandbox: ${subject.name}`, rows, () => {
    describeSandbox(
      { describe, it },
      { name: subject.name, create: () => new DockerSandbox(subject.options), processesAtOnce: 50 },
    )
  })
}

it.skipIf(docker.missing)('a container knows all of its usage', async () => {
  await using sandbox = new DockerSandbox(options)
  await sandbox.start()
  const { cpuMs = 0, memoryBytes = 0, peakMemoryBytes = 0, processes = 0, ...rest } = await sandbox.usage()
  expect(cpuMs).toBeGreaterThan(0)
  expect(memoryBytes).toBeGreaterThan(0)
  expect(peakMemoryBytes).toBeGreaterThanOrEqual(memoryBytes)
  expect(processes).toBeGreaterThan(0)
  expect(rest).toEqual({ diskBytes: expect.any(Number) })
})

describe.skipIf(docker.missing)('a container that is given to an executor', () => {
  it('runs its blocks beside processes, which live on', async () => {
    await using sandbox = new DockerSandbox({ image: 'fenced-test/python', workDirMode: 'copy' })
    await using executor = new CommandLineCodeExecutor({ sandbox, warm: {} })
    const written = await executor.execute([{ language: 'sh', code: 'echo made > file.txt' }])
    expect(written).toMatchObject({ status: 'ok', files: [{ path: 'file.txt' }] })
    const beside = await sandbox.spawn(['/bin/sh', '-c', 'while :; do read -r text; echo "$text"; done'], {
      stdin: 'open',
    })
    const read = await executor.execute([{ language: 'python', code: 'print(open("file.txt").read())' }])
    expect(read.output).toBe('made\n\n')
    await executor.stop()
    beside.stdin?.write('lives\n')
    expect(`${await once(beside.stdout, 'data')}`).toBe('lives\n')
    await beside.kill()
    expect(await beside.ended).toMatchObject({ kind: 'exited', wasStopped: true })
  })
})
