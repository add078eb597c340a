import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { rowTags } from '@fenced/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { KubernetesSandbox, type KubernetesSandboxOptions } from '../src/index.ts'
import { executorIn } from './executor-of.ts'
import { TestNamespace } from './namespace.ts'
import { image, kubernetes, testCluster } from './requirements.ts'

const namespace = kubernetes.missing ? undefined : await TestNamespace.create()

const options: KubernetesSandboxOptions = {
  cluster: testCluster,
  namespace: namespace?.name,
  network: 'open',
  pod: { image, imagePullPolicy: 'IfNotPresent' },
}

const detached = { expiresInMs: 300_000 }

/** Runs a host that makes a detached sandbox, starts a process in it, and ends; returns the sandbox's id. */
async function endedHost({ expiresInMs = detached.expiresInMs, isBusy = true, ends = 'SIGKILL' } = {}) {
  const program = join(import.meta.dirname, 'programs/detached-host.ts')
  const words = JSON.stringify({ options, expiresInMs, isBusy, ends })
  const args = ['--conditions=@fenced/source', program, words]
  const outcome = await promisify(execFile)(process.execPath, args).catch((error) => error)
  const id = `${outcome.stdout}`.trim()
  if (id === '') throw outcome
  return id
}

async function contentOf(sandbox: KubernetesSandbox, path: string): Promise<string | undefined> {
  const content = await sandbox.files.read(path)
  return content === undefined ? undefined : text(content)
}

describe.skipIf(kubernetes.missing)('a detached pod', () => {
  afterAll(() => namespace?.remove())

  it.each(['SIGKILL', 'exit'])(
    'outlives its host, ended by %s, with its files and processes, and is resumed by its id',
    rowTags({ nightly: ['by exit'] }),
    async (ends) => {
      const id = await endedHost({ ends })
      // A start of this machine removes what was left behind, and this was not.
      await using other = executorIn(namespace?.name)
      await other.start()
      await using sandbox = new KubernetesSandbox(options)
      await sandbox.start({ detached, resume: id })
      expect(sandbox.id).toBe(id)
      expect(await contentOf(sandbox, '/tmp/kept')).toBe('of the first host')
      const before = await contentOf(sandbox, '/tmp/ticks')
      await expect.poll(() => contentOf(sandbox, '/tmp/ticks')).not.toBe(before)
      await sandbox.stop()
      await using next = new KubernetesSandbox(options)
      await expect(next.start({ detached, resume: id })).rejects.toMatchObject({ code: 'SANDBOX_GONE' })
    },
  )

  it('is not resumed with other options, and neither is one that ends with its process', {
    tags: 'nightly',
  }, async () => {
    const id = await endedHost()
    await using sandbox = new KubernetesSandbox({ ...options, pids: 64 })
    await expect(sandbox.start({ detached, resume: id })).rejects.toMatchObject({ code: 'NOT_RESUMABLE' })
    await using owner = new KubernetesSandbox(options)
    await owner.start({ detached, resume: id })
    await using usual = new KubernetesSandbox(options)
    await usual.start()
    await using another = new KubernetesSandbox(options)
    const start = another.start({ detached, resume: usual.id ?? '' })
    await expect(start).rejects.toMatchObject({ code: 'NOT_RESUMABLE' })
    const nothing = another.start({ detached, resume: 'nothing' })
    await expect(nothing).rejects.toMatchObject({ code: 'SANDBOX_GONE' })
  })

  it('expires by itself when its host is not there any more, and the next start removes it', async () => {
    const id = await endedHost({ expiresInMs: 15_000, isBusy: false })
    const [, name = ''] = id.split('/')
    const path = `/api/v1/namespaces/${namespace?.name}/pods/${name}`
    const phase = async () =>
      (await namespace?.api.ask<{ status: { phase: string } }>('GET', path))?.status.phase
    await expect.poll(phase, { interval: 500 }).toBe('Succeeded')
    await using sandbox = new KubernetesSandbox(options)
    await sandbox.start()
    expect(await namespace?.pods()).not.toContain(name)
  })
})
