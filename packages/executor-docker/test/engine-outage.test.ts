import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { DockerSandbox } from '@fenced/sandbox-docker'
import { uniqueSeconds } from '@fenced/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DockerCommandLineCodeExecutor, EnginePool } from '../src/index.ts'
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
  const pool = new EnginePool({
    engines: [{ name: 'only', docker: proxy.address }],
    checkIntervalMs: 600_000,
  })
  onTestFinished(async () => {
    proxy.heal()
    await pool.close()
    proxy[Symbol.dispose]()
    await rm(directory, { recursive: true, force: true })
  })
  const begin = async () => {
    proxy.inject({ path: /./ }, { breakAt: 'request', by: 'end' })
    proxy.breakAll('end')
    expect((await pool.check()).engines[0]?.health).toBe('down')
  }
  const end = async ({ heals = true } = {}) => {
    if (heals) proxy.heal()
    expect((await pool.check()).engines[0]?.health).toBe('up')
  }
  return { proxy, pool, directory, begin, end }
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

describe.skipIf(docker.missing)('an outage of the engine of a pool', () => {
  it('a container that is kept stays, and is found again', async () => {
    const { pool, directory, begin, end } = await outage()
    const options = keptContainer(directory)
    await using executor = new DockerCommandLineCodeExecutor({ ...options, docker: pool })
    expect(await printed(executor, sh('echo first > /tmp/kept; echo made'))).toBe('made\n')
    const before = await idsOf(options)
    await begin()
    await using other = new DockerCommandLineCodeExecutor({ ...options, docker: pool })
    expect(await outcomeOf(other.start())).toMatchObject({
      code: 'ENGINE_UNREACHABLE',
      data: { container: options.containerName, fault: 'closed' },
    })
    await end()
    expect(await printed(executor, sh('cat /tmp/kept'))).toBe('first\n')
    expect(await idsOf(options)).toEqual(before)
  })

  it('a detached container stays, and is resumed by its id', async () => {
    const { pool, directory, begin, end } = await outage()
    const options = { image, workDir: directory, docker: pool }
    const first = new DockerSandbox(options)
    await first.start({ detached })
    await first.files.write('/tmp/kept', 'first')
    const id = first.id ?? ''
    await begin()
    await using next = new DockerSandbox(options)
    expect(await outcomeOf(next.start({ detached, resume: id }))).toMatchObject({
      code: 'ENGINE_UNREACHABLE',
    })
    await end()
    await next.start({ detached, resume: id })
    const kept = await next.files.read('/tmp/kept')
    expect(kept && (await text(kept))).toBe('first')
  })

  it('a container that is not kept is removed', async () => {
    const { pool, begin, end } = await outage()
    const containerName = `fenced-test-outage-${uniqueSeconds()}`
    const executor = new DockerCommandLineCodeExecutor({ image, containerName, docker: pool })
    await executor.start()
    await begin()
    await executor.stop()
    await end()
    // It also ends by itself, with the connection that the outage broke.
    await expect.poll(() => containersNamed(containerName), { timeout: 20_000 }).toEqual([])
  })

  it('a container that the engine cannot remove keeps it from nothing, and is removed later', async () => {
    const { proxy, pool, begin, end } = await outage()
    const containerName = `fenced-test-outage-${uniqueSeconds()}`
    const executor = new DockerCommandLineCodeExecutor({ image, containerName, docker: pool })
    await executor.start()
    await begin()
    await executor.stop()
    proxy.heal()
    proxy.inject(requests.remove, { answer: refusal, isDone: false })
    await end({ heals: false })
    await using next = new DockerCommandLineCodeExecutor({ image, docker: pool })
    expect(await printed(next, sh('echo used'))).toBe('used\n')
    expect(await outcomeOf(pool.close())).toMatchObject({ code: 'ENGINE_FAILED' })
    proxy.heal()
    await pool.check()
    await expect.poll(() => containersNamed(containerName), { timeout: 20_000 }).toEqual([])
  })

  it('a signal ends a start that waits for an engine that never answers', async () => {
    const { proxy, pool } = await outage()
    proxy.inject(requests.ping, { breakAt: 'request', by: 'silence' })
    await using executor = new DockerCommandLineCodeExecutor({ image, docker: pool })
    const controller = new AbortController()
    const reason = new Error('changed my mind')
    const start = executor.start({ signal: controller.signal }).catch((error: unknown) => error)
    const check = pool.check()
    await expect.poll(() => proxy.seen).toContain('GET /_ping')
    controller.abort(reason)
    expect(await Promise.race([start, check])).toBe(reason)
  })

  it('another engine that is silent does not hold a start up, also when it is asked for the image', async () => {
    const [proxy, slow] = [await EngineProxy.start(), await EngineProxy.start()]
    const engines = [proxy, slow].map(({ address }) => ({ docker: address }))
    const pool = new EnginePool({ engines, checkIntervalMs: 600_000 })
    onTestFinished(async () => {
      slow.heal()
      await pool.close()
      for (const each of [proxy, slow]) each[Symbol.dispose]()
    })
    const health = () => pool.state.engines.map((engine) => engine.health)
    const startAndStop = async () => {
      await using executor = new DockerCommandLineCodeExecutor({ image, docker: pool })
      await executor.start()
    }
    slow.inject({ path: /./ }, { breakAt: 'request', by: 'silence' })
    await startAndStop()
    expect(health()).toEqual(['up', 'unknown'])
    slow.heal()
    slow.breakAll('end')
    await expect.poll(async () => (await pool.check()).engines[1]?.health).toBe('up')
    slow.inject({ path: /^\/images/ }, { breakAt: 'request', by: 'silence' })
    await startAndStop()
    // An engine that stays silent is asked once more after its time.
    expect(slow.seen.filter((request) => request.includes('/images'))).toHaveLength(1)
  })

  it('a look for a container that fails once makes no second one', async () => {
    const { proxy, pool, directory } = await outage()
    const options = keptContainer(directory)
    await using first = new DockerCommandLineCodeExecutor({ ...options, docker: pool })
    await printed(first, sh('echo first > /tmp/kept'))
    await first.stop()
    const look = { method: 'GET', path: new RegExp(`^/containers/${options.containerName}/json`) } as const
    proxy.inject({ ...look, nth: 1 }, { answer: refusal, isDone: false })
    await first.start()
    expect(await printed(first, sh('cat /tmp/kept'))).toBe('first\n')
    await first.stop()
    proxy.inject(look, { answer: refusal, isDone: false })
    expect(await outcomeOf(first.start())).toMatchObject({ code: 'ENGINE_FAILED' })
  })
})

describe.skipIf(docker.missing)('an outage of an engine', () => {
  it('a container that is kept stays, and is found again', async () => {
    const { proxy, directory } = await outage()
    const options = keptContainer(directory)
    await using executor = new DockerCommandLineCodeExecutor({ ...options, docker: proxy.address })
    await printed(executor, sh('echo first > /tmp/kept'))
    const before = await idsOf(options)
    proxy.inject({ path: /./ }, { breakAt: 'request', by: 'end' })
    proxy.breakAll('end')
    const during = await outcomeOf(executor.execute([sh('cat /tmp/kept')]))
    expect(during).not.toMatchObject({ status: 'ok' })
    proxy.heal()
    expect(await printed(executor, sh('cat /tmp/kept'))).toBe('first\n')
    expect(await idsOf(options)).toEqual(before)
    expect(proxy.seen.filter((request) => request.startsWith('DELETE'))).toEqual([])
  })
})
