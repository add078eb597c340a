import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CommandLineCodeExecutor } from '@fenced/sandbox'
import { DockerSandbox } from '@fenced/sandbox-docker'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { rawEngine } from './raw-engine.ts'
import { docker } from './requirements.ts'

const image = 'fenced-test/python'

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'fenced-paused-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** Runs a host that pauses its container and is killed. @returns the container's id. */
async function pausedByKilledHost(...args: readonly string[]): Promise<string> {
  const program = join(import.meta.dirname, 'programs/paused-host.ts')
  const command = ['--conditions=@fenced/source', program, ...args]
  const failure = await promisify(execFile)(process.execPath, command).catch((error) => error)
  const id = `${failure.stdout}`.trim()
  expect(id).toMatch(/^[0-9a-f]{64}$/)
  return id
}

async function exists(id: string): Promise<boolean> {
  const containers = await (await rawEngine()).listContainers({ all: true })
  return containers.some(({ Id }) => Id === id)
}

describe.skipIf(docker.missing)('a paused container', () => {
  it('keeps its Python and the time limit of its block, and runs no other block meanwhile', async () => {
    await using sandbox = new DockerSandbox({ image })
    await using executor = new CommandLineCodeExecutor({ sandbox, warm: {}, timeoutMs: 6_000 })
    await executor.start()
    const { id } = sandbox
    const running = executor.execute([{ language: 'python', code: 'import time; print(1); time.sleep(1)' }])
    for await (const { type } of running) {
      if (type !== 'stdout') continue
      await sandbox.pause()
      // Longer than the block may take.
      setTimeout(() => sandbox.resume(), 6_500)
    }
    expect(await running).toMatchObject({ status: 'ok', output: '1\n' })
    await sandbox.pause()
    await expect(executor.execute([{ language: 'python', code: 'print(2)' }])).rejects.toMatchObject({
      code: 'SANDBOX_PAUSED',
      result: { blocks: [] },
    })
    await sandbox.resume()
    expect((await executor.execute([{ language: 'python', code: 'print(2)' }])).output).toBe('2\n')
    expect(sandbox.id).toBe(id)
  })

  it('is removed by the next start if its host was killed', async () => {
    const id = await pausedByKilledHost(JSON.stringify({ image }))
    await using next = new DockerSandbox({ image })
    await next.start()
    await vi.waitFor(async () => expect(await exists(id)).toBe(false), 60_000)
  })

  it('continues when another process resumes it by its id', async () => {
    const workDir = await newDirectory()
    const id = await pausedByKilledHost(JSON.stringify({ image, workDir }), '120000')
    await using sandbox = new DockerSandbox({ image, workDir })
    await sandbox.start({ detached: { expiresInMs: 120_000 }, resume: id })
    expect([sandbox.id, sandbox.isPaused]).toEqual([id, false])
    expect(await (await sandbox.spawn(['true'])).ended).toMatchObject({ exitCode: 0 })
  })

  it('is removed at the end of its time if it is detached', async () => {
    await using sandbox = new DockerSandbox({ image, workDir: await newDirectory() })
    await sandbox.start({ detached: { expiresInMs: 5_000 } })
    const { id = '' } = sandbox
    await sandbox.pause()
    await vi.waitFor(async () => expect(await exists(id)).toBe(false), 60_000)
    await expect(sandbox.spawn(['true'])).rejects.toMatchObject({ code: 'SANDBOX_GONE' })
  })
})
