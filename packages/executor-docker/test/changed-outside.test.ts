import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uniqueSeconds } from '@fenced/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { printed, sh } from './blocks.ts'
import { rawEngine, removeContainer } from './raw-engine.ts'
import { docker } from './requirements.ts'

const image = 'fenced-test/busybox'

/** A container that an executor left running, and how another executor would use it again. */
async function keptContainer(options: { readonly network?: string } = {}) {
  const containerName = `fenced-test-outside-${uniqueSeconds()}`
  const directory = await mkdtemp(join(tmpdir(), 'fenced-test-'))
  const kept = { image, containerName, workDir: directory, stopContainer: false, ...options } as const
  onTestFinished(async () => {
    await removeContainer(containerName)
    await rm(directory, { recursive: true, force: true })
  })
  const first = new DockerCommandLineCodeExecutor(kept)
  await first.start()
  await first.stop()
  return { containerName, directory, newExecutor: () => new DockerCommandLineCodeExecutor(kept) }
}

describe.skipIf(docker.missing)('a kept container that was changed from outside', () => {
  it('is not used without its network, and the error names how to connect it', async () => {
    const engine = await rawEngine()
    const network = await engine.createNetwork({ Name: `fenced-test-outside-${uniqueSeconds()}` })
    onTestFinished(() => network.remove())
    const { containerName, newExecutor } = await keptContainer({ network: network.id })
    await network.disconnect({ Container: containerName, Force: true })
    await using executor = newExecutor()
    await expect(executor.start()).rejects.toMatchObject({
      code: 'CONTAINER_UNUSABLE',
      data: { container: containerName, command: `docker network connect ${network.id} ${containerName}` },
    })
    await network.connect({ Container: containerName })
    expect(await printed(executor, sh('echo connected'))).toBe('connected\n')
  })

  it('is not used without its working directory, and the error names what to do', async () => {
    const { directory, newExecutor } = await keptContainer()
    await rm(directory, { recursive: true })
    await mkdir(directory)
    await using executor = newExecutor()
    await expect(executor.start()).rejects.toMatchObject({
      code: 'CONTAINER_UNUSABLE',
      data: { option: 'workDir, containerName' },
    })
  })
})
