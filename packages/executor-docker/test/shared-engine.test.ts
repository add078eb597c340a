import { describe, expect, it } from 'vitest'
import { DockerCommandLineCodeExecutor, Engine } from '../src/index.ts'
import { sh } from './blocks.ts'
import { EngineProxy } from './faults/engine-proxy.ts'
import { docker } from './requirements.ts'

describe.skipIf(docker.missing)('an engine that executors share', () => {
  it('is looked for once, and stays open when they stop', async () => {
    using proxy = await EngineProxy.start()
    const engine = await Engine.connect(proxy.address)
    for (const word of ['one', 'two']) {
      await using executor = new DockerCommandLineCodeExecutor({
        image: 'fenced-test/busybox',
        docker: engine,
      })
      expect((await executor.execute([sh(`echo ${word}`)])).output).toBe(`${word}\n`)
    }
    const asked = (path: RegExp) => proxy.seen.filter((request) => path.test(request)).length
    expect([asked(/^GET \/_ping/), asked(/^GET \/info/)]).toEqual([1, 1])
    expect(await engine.defaultUser({ signal: AbortSignal.timeout(30_000) })).toMatch(/^\d+:\d+$/)
    engine.close()
  })

  it('is nothing that a configuration can hold', async () => {
    const engine = await Engine.connect()
    const executor = new DockerCommandLineCodeExecutor({ image: 'fenced-test/busybox', docker: engine })
    expect(() => executor.toConfig()).toThrow(expect.objectContaining({ code: 'NOT_CONFIGURABLE' }))
    expect(executor.toConfig({ omit: ['docker'] }).omitted).toEqual(['docker'])
    engine.close()
  })
})
