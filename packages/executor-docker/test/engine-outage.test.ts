import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { DockerSandbox } from '@fenced/sandbox-docker'
import { uniqueSeconds } from '@fenced/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { printed, sh } from './blocks.ts'
import { EngineProxy } from './faults/engine-proxy.ts'
import { requests } from './faults/fault.ts'
import { outcomeOf } from './faults/trial.ts'
import { containersNamed, rawEngine } from './raw-engine.ts'
import { docker } from './requirements.ts'

const image = 'fenced-test/busybox'
const refusal = { status: 500, type: 'application/json', body: '{"message":"busy"}' }
const detached = { expiresInMs: 120_000 }

/** An engine that can be taken away and given back, and what uses it. */
async function outage() {
  const proxy = await EngineProxy.start()
  const directory = await mkdtemp(join(tmpdir(), 'fenced-test-'))
  onTestFinished(async () => {
    proxy[Symbol.dispose]()
    await rm(directory, { recursive: true, force: true })
  })
  const begin = () => {
    proxy.inject({ path: /./ }, { breakAt: 'request', by: 'end' })
    proxy.breakAll('end')
  }
  return { proxy, directory, begin }
}

/** Options of an executor whose container stays, until the test has finished. */
function keptContainer(directory: string) {
  const containerName = `fenced-test-outage-${uniqueSeconds()}`
  onTestFinished(async () => {
    const raw = await rawEngine()
    await raw.getContainer(containerName).remove({ force: true, v: true })
  })
  return { image, workDir: directory, containerName, stopContainer: false, allowSharedWorkDir: true } as const
}

async function idsOf({ containerName }: { readonly containerName: string }): Promise<string[]> {
  return (await containersNamed(containerName)).map(({ Id }) => Id)
}

describe.skipIf(docker.missing)('an outage of an engine', () => {
  it('a container that is kept stays, and is found again', async () => {
    const { proxy, directory, begin } = await outage()
    const options = keptContainer(directory)
    await using executor = new DockerCommandLineCodeExecutor({ ...options, docker: proxy.address })
    await printed(executor, sh('echo first > /tmp/kept'))
    const before = await idsOf(options)
    begin()
    const during = await outcomeOf(executor.execute([sh('cat /tmp/kept')]))
    expect(during).not.toMatchObject({ status: 'ok' })
    proxy.heal()
    expect(await printed(executor, sh('cat /tmp/kept'))).toBe('first\n')
    expect(await idsOf(options)).toEqual(before)
    expect(proxy.seen.filter((request) => request.startsWith('DELETE'))).toEqual([])
  })

  it('a detached container stays, and is resumed by its id', async () => {
    const { proxy, directory, begin } = await outage()
    const options = { image, workDir: directory, docker: proxy.address }
    const first = new DockerSandbox(options)
    await first.start({ detached })
    await first.files.write('/tmp/kept', 'first')
    const id = first.id ?? ''
    begin()
    await using next = new DockerSandbox(options)
    expect(await outcomeOf(next.start({ detached, resume: id }))).toMatchObject({
      code: 'ENGINE_UNREACHABLE',
    })
    proxy.heal()
    await next.start({ detached, resume: id })
    const kept = await next.files.read('/tmp/kept')
    expect(kept && (await text(kept))).toBe('first')
  })

  it('a look for a container that fails makes no second one', async () => {
    const { proxy, directory } = await outage()
    const options = keptContainer(directory)
    await using executor = new DockerCommandLineCodeExecutor({ ...options, docker: proxy.address })
    await printed(executor, sh('echo first > /tmp/kept'))
    const before = await idsOf(options)
    await executor.stop()
    const look = { method: 'GET', path: new RegExp(`^/containers/${options.containerName}/json`) } as const
    proxy.inject(look, { answer: refusal, isDone: false })
    expect(await outcomeOf(executor.start())).toMatchObject({ code: 'ENGINE_FAILED' })
    proxy.heal()
    expect(await printed(executor, sh('cat /tmp/kept'))).toBe('first\n')
    expect(await idsOf(options)).toEqual(before)
  })

  it('a container that the engine cannot remove keeps it from nothing, and is removed later', async () => {
    const { proxy } = await outage()
    const containerName = `fenced-test-outage-${uniqueSeconds()}`
    const executor = new DockerCommandLineCodeExecutor({ image, containerName, docker: proxy.address })
    await executor.start()
    proxy.inject(requests.remove, { answer: refusal, isDone: false })
    expect(await outcomeOf(executor.stop())).toMatchObject({ code: 'ENGINE_FAILED' })
    proxy.heal()
    await using next = new DockerCommandLineCodeExecutor({ image, docker: proxy.address })
    expect(await printed(next, sh('echo used'))).toBe('used\n')
    await executor.stop()
    expect(await containersNamed(containerName)).toEqual([])
  })

  it('a signal ends a start that waits for an engine that never answers', async () => {
    const { proxy } = await outage()
    proxy.inject(requests.ping, { breakAt: 'request', by: 'silence' })
    await using executor = new DockerCommandLineCodeExecutor({ image, docker: proxy.address })
    const controller = new AbortController()
    const reason = new Error('changed my mind')
    const start = executor.start({ signal: controller.signal }).catch((error: unknown) => error)
    await expect.poll(() => proxy.seen).toContain('GET /_ping')
    controller.abort(reason)
    expect(await start).toBe(reason)
  })
})
