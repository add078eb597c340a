import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rowTags } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { DockerCommandLineCodeExecutor, type DockerExecutorOptions } from '../src/index.ts'
import { printed, sh } from './blocks.ts'
import { EngineProxy } from './faults/engine-proxy.ts'
import { requests } from './faults/fault.ts'
import { docker } from './requirements.ts'

const path = '/usr/bin:/bin'

/** An engine that nobody in this process knows, and directories beside each other. */
async function newPlace() {
  const stack = new AsyncDisposableStack()
  const proxy = stack.use(await EngineProxy.start())
  const folder = await mkdtemp(join(tmpdir(), 'fenced-test-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  let count = 0
  const start = async (options: DockerExecutorOptions = {}, access = 0o700) => {
    const workDir = join(folder, `${++count}`)
    await mkdir(workDir)
    await writeFile(join(workDir, 'tool'), '#!/bin/sh\necho "a tool"\n', { mode: 0o755 })
    await chmod(workDir, access)
    const executor = new DockerCommandLineCodeExecutor({
      ...{ image: 'fenced-test/busybox', docker: proxy.address, workDir, warm: false, user: 'root' },
      ...options,
    })
    stack.defer(() => executor.stop())
    proxy.seen.length = 0
    await executor.start()
    return executor
  }
  /** Whether the last one was looked at, which is before the look at its directory. */
  const wasLookedAt = () => {
    const found = proxy.seen.findIndex((request) => request.startsWith('HEAD '))
    return proxy.seen
      .slice(0, found)
      .some((request) => requests.createExec.path.test(request.split(' ')[1] ?? ''))
  }
  return { proxy, start, wasLookedAt, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

const rows = rowTags({ nightly: [{ except: ['of another image', 'for another user'] }] })

describe.skipIf(docker.missing)('what a container turned out to have', { concurrent: true }, () => {
  it('is known of the next one with the same options', async () => {
    await using place = await newPlace()
    const { start, wasLookedAt } = place
    await start()
    expect(wasLookedAt()).toBe(true)
    const next = await start()
    expect(wasLookedAt()).toBe(false)
    expect(await printed(next, sh('./tool'))).toBe('a tool\n')
  })

  it.each<[string, DockerExecutorOptions, number?]>([
    ['of another image', { image: 'fenced-test/plain' }],
    ['for another user', { user: '4321:4321' }],
    ['with a capability', { addCapabilities: ['DAC_OVERRIDE'] }],
    ['with another variable', { env: { ONE: '1' } }],
    ['whose directory has other permissions', {}, 0o777],
  ])('is asked of one %s', rows, async (_, options, access) => {
    await using place = await newPlace()
    const { start, wasLookedAt } = place
    await start()
    await start(options, access)
    expect(wasLookedAt()).toBe(true)
  })

  it.each<[string, DockerExecutorOptions]>([
    ['a volume', { volumes: [{ source: tmpdir(), target: '/data' }] }],
    ['a field of the engine’s own request', { createOptions: { Hostname: 'here' } }],
    ['programs in its working directory', { env: { PATH: `/workspace/bin:${path}` } }],
    ['programs beside where it is', { env: { PATH: `bin:${path}` } }],
  ])('is asked of each one with %s', { tags: 'nightly' }, async (_, options) => {
    await using place = await newPlace()
    const { start, wasLookedAt } = place
    await start(options)
    await start(options)
    expect(wasLookedAt()).toBe(true)
  })

  it('is no answer for one that has ended meanwhile', async () => {
    await using place = await newPlace()
    const { proxy, start } = place
    const options = { maxLifetimeMs: 5_000 }
    await start(options)
    proxy.inject({ ...requests.statArchive, nth: 1 }, { delayMs: 9_000 })
    await expect(start(options)).rejects.toMatchObject({ code: 'CONTAINER_UNUSABLE' })
  })
})
