import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { DockerSandbox } from '@fenced/sandbox-docker'
import { rowTags } from '@fenced/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { rawEngine } from './raw-engine.ts'
import { docker } from './requirements.ts'

const image = 'fenced-test/python'

const expiresInMs = 120_000

/** Runs a host that makes a detached sandbox, starts a process in it, and is killed. */
async function killedHost(directory: string, { expiry = expiresInMs, ends = 'SIGKILL' } = {}) {
  const program = join(import.meta.dirname, 'programs/detached-host.ts')
  const options = JSON.stringify({ image, workDir: directory, expiry, ends })
  const args = ['--conditions=@fenced/source', program, options]
  const failure = await promisify(execFile)(process.execPath, args).catch((error) => error)
  return `${failure.stdout}`.trim()
}

async function newDirectory(onFinished: typeof onTestFinished = onTestFinished): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'fenced-detached-'))
  onFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

async function containerIds(): Promise<string[]> {
  return (await (await rawEngine()).listContainers({ all: true })).map(({ Id }) => Id)
}

async function contentOf(sandbox: DockerSandbox, path: string): Promise<string | undefined> {
  const content = await sandbox.files.read(path)
  return content === undefined ? undefined : text(content)
}

describe.skipIf(docker.missing)('a detached container', () => {
  it.each(['SIGKILL', 'SIGTERM', 'exit'])(
    'outlives its host, ended by %s, with its files and processes, and is resumed by its id',
    rowTags({ nightly: ['by SIGTERM', 'by exit'] }),
    async (ends) => {
      const directory = await newDirectory()
      const id = await killedHost(directory, { ends })
      await using sandbox = new DockerSandbox({ image, workDir: directory })
      await sandbox.start({ detached: { expiresInMs }, resume: id })
      expect(sandbox.id).toBe(id)
      expect(await contentOf(sandbox, '/tmp/kept')).toBe('of the first host')
      const before = await contentOf(sandbox, '/tmp/ticks')
      await vi.waitFor(async () => expect(await contentOf(sandbox, '/tmp/ticks')).not.toBe(before), 120_000)
      await sandbox.stop()
      const next = new DockerSandbox({ image, workDir: directory })
      const again = next.start({ detached: { expiresInMs }, resume: id })
      await expect(again).rejects.toMatchObject({ code: 'SANDBOX_GONE' })
      await next.stop()
    },
  )

  it('is not resumed with other options', async () => {
    const directory = await newDirectory()
    const id = await killedHost(directory)
    await using sandbox = new DockerSandbox({ image, workDir: directory, pids: 64 })
    const start = sandbox.start({ detached: { expiresInMs }, resume: id })
    await expect(start).rejects.toMatchObject({ code: 'NOT_RESUMABLE' })
    await using owner = new DockerSandbox({ image, workDir: directory })
    await owner.start({ detached: { expiresInMs }, resume: id })
  })

  it('needs a directory that stays', async () => {
    await using sandbox = new DockerSandbox({ image })
    const start = sandbox.start({ detached: { expiresInMs } })
    await expect(start).rejects.toMatchObject({ code: 'NOT_RESUMABLE', data: { option: 'workDir' } })
  })

  it.concurrent('expires by itself when its host is not there any more, whatever runs in it', async ({
    onTestFinished,
  }) => {
    const directory = await newDirectory(onTestFinished)
    const id = await killedHost(directory, { expiry: 15_000 })
    const { Id } = await (await rawEngine()).getContainer(id).inspect()
    await vi.waitFor(async () => expect(await containerIds()).not.toContain(Id), 120_000)
    await using sandbox = new DockerSandbox({ image, workDir: directory })
    const resumed = sandbox.start({ detached: { expiresInMs: 3_000 }, resume: id })
    await expect(resumed).rejects.toMatchObject({ code: 'SANDBOX_GONE' })
  })

  it.concurrent('does not expire while its host is there', { tags: 'nightly' }, async ({
    onTestFinished,
  }) => {
    const directory = await newDirectory(onTestFinished)
    await using sandbox = new DockerSandbox({ image, workDir: directory })
    await sandbox.start({ detached: { expiresInMs: 3_000 } })
    // Nothing tells that it stays: three times as long as it would last without its host.
    await delay(9_000)
    const process = await sandbox.spawn(['true'])
    expect(await process.ended).toMatchObject({ kind: 'exited', exitCode: 0 })
  })
})
