import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Notice } from '@fenced/core'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  DockerCommandLineCodeExecutor,
  type DockerExecutorOptions,
  EnginePool,
  type EnginePoolOptions,
  type PooledEngineOptions,
} from '../src/index.ts'
import { noticeCodes, printed, sh } from './blocks.ts'
import { privateEngine } from './faults/private-engine.ts'
import { Certificates, TlsEngine } from './faults/tls-engine.ts'
import { outcomeOf } from './faults/trial.ts'
import { remote, remoteDocker, ssh, sshDocker } from './requirements.ts'

describe.skipIf(privateEngine.missing)('three engines behind TLS', { timeout: 120_000 }, () => {
  let engines: TlsEngine[]
  let workDir: string

  beforeAll(async () => {
    engines = await Promise.all([1, 2, 3].map(() => TlsEngine.start()))
    workDir = await mkdtemp(join(tmpdir(), 'fenced-test-'))
  }, 120_000)
  afterAll(async () => {
    await Promise.all((engines ?? []).map((engine) => engine[Symbol.asyncDispose]()))
    await rm(workDir, { recursive: true, force: true })
  })
  beforeEach(() => {
    onTestFinished(async () => {
      expect(await Promise.all(engines.map(({ engine }) => engine.containerNames()))).toEqual([[], [], []])
    })
  })

  const names = ['a', 'b', 'c']

  function poolOf(capacities: readonly number[], options: Partial<EnginePoolOptions> = {}): EnginePool {
    const list = capacities.map((capacity, index): PooledEngineOptions => {
      const { connection } = engines[index] as TlsEngine
      return { name: names[index], docker: connection, capacity }
    })
    const pool = new EnginePool({ engines: list, checkIntervalMs: 200, ...options })
    onTestFinished(() => pool.close())
    return pool
  }

  function executorOf(
    docker: EnginePool,
    options: DockerExecutorOptions = {},
  ): DockerCommandLineCodeExecutor {
    const executor = new DockerCommandLineCodeExecutor({
      image: 'fenced-test/busybox',
      pull: 'never',
      docker,
      ...options,
    })
    onTestFinished(() => executor.stop())
    return executor
  }

  const inUse = (pool: EnginePool) => pool.state.engines.map((engine) => engine.inUse)
  const health = (pool: EnginePool) => pool.state.engines.map((engine) => engine.health)

  it('fill up in proportion to their capacity, and run blocks', async () => {
    const pool = poolOf([4, 2, 2])
    const executors = [1, 2, 3, 4].map(() => executorOf(pool))
    for (const executor of executors) await executor.start()
    expect(inUse(pool)).toEqual([2, 1, 1])
    const outputs = await Promise.all(executors.map((executor) => printed(executor, sh('echo run'))))
    expect(outputs).toEqual(['run\n', 'run\n', 'run\n', 'run\n'])
    await executors[0]?.stop()
    expect(inUse(pool)).toEqual([1, 1, 1])
  })

  it('are never given more than they take, also by starts at the same time', async () => {
    const pool = poolOf([1, 1, 1])
    await Promise.all([1, 2, 3].map(() => executorOf(pool).start()))
    expect(inUse(pool)).toEqual([1, 1, 1])
  })

  it('get what they have the image for', async () => {
    const [, b] = engines
    const raw = await b?.engine.raw()
    await raw?.getImage('fenced-test/busybox').tag({ repo: 'fenced-test/only-b', tag: 'latest' })
    const pool = poolOf([1, 1, 1], { waitTimeoutMs: 300 })
    const options = { image: 'fenced-test/only-b' }
    await executorOf(pool, options).start()
    expect(inUse(pool)).toEqual([0, 1, 0])
    // There is room, and no engine with room has it.
    expect(await outcomeOf(executorOf(pool, options).start())).toMatchObject({ code: 'POOL_FULL' })
    await raw?.getImage('fenced-test/only-b').remove()
    expect(await outcomeOf(executorOf(pool, { image: 'fenced-test/none' }).start())).toMatchObject({
      code: 'IMAGE_NOT_FOUND',
    })
    expect(inUse(pool)).toEqual([0, 1, 0])
  })

  it('take nothing new while they are drained, and keep what they have', async () => {
    const pool = poolOf([2, 1])
    const kept = executorOf(pool)
    await kept.start()
    pool.drain('a')
    await executorOf(pool).start()
    const waiting = executorOf(pool).start()
    await expect.poll(() => pool.state.waiting).toBe(1)
    expect(inUse(pool)).toEqual([1, 1])
    expect(await printed(kept, sh('echo here'))).toBe('here\n')
    pool.undrain('a')
    await waiting
    expect(inUse(pool)).toEqual([2, 1])
    expect(() => pool.drain('d')).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }))
  })

  it('let starts wait while they are full, in order, up to a bound and for a time', async () => {
    const pool = poolOf([1], { maxWaiting: 2, waitTimeoutMs: 15_000 })
    const [first, second, third, fourth] = [1, 2, 3, 4].map(() => executorOf(pool)) as [
      DockerCommandLineCodeExecutor,
      DockerCommandLineCodeExecutor,
      DockerCommandLineCodeExecutor,
      DockerCommandLineCodeExecutor,
    ]
    await first.start()
    const order: string[] = []
    const waits = [
      second.start().then(() => order.push('second')),
      third.start({ signal: AbortSignal.timeout(30_000) }).then(() => order.push('third')),
    ]
    await expect.poll(() => pool.state.waiting).toBe(2)
    expect(await outcomeOf(fourth.start())).toMatchObject({
      code: 'POOL_FULL',
      data: { option: 'maxWaiting', limit: '2' },
    })
    await first.stop()
    await waits[0]
    await second.stop()
    await waits[1]
    expect(order).toEqual(['second', 'third'])
    const brief = poolOf([1], { waitTimeoutMs: 100 })
    await executorOf(brief).start()
    expect(await outcomeOf(executorOf(brief).start())).toMatchObject({
      code: 'POOL_FULL',
      data: { option: 'waitTimeoutMs', limitMs: '100' },
    })
    const given = executorOf(pool).start({ signal: AbortSignal.timeout(200) })
    await expect(given).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(pool.state.waiting).toBe(0)
  })

  it.each(['killed', 'cut off'])(
    'lose one that is %s in the middle of a block, which has died',
    async (how) => {
      const [a] = engines as [TlsEngine]
      const pool = poolOf([2, 1])
      const options = { workDir, containerName: `pool-${how.replace(' ', '-')}` }
      const executor = executorOf(pool, options)
      await printed(executor, sh('echo kept > kept.txt'))
      expect(inUse(pool)).toEqual([1, 0])
      const execution = executor.execute([sh('echo early; sleep 300')], { timeoutMs: 100_000 })
      for await (const { type } of execution) {
        if (type === 'stdout') await (how === 'killed' ? a.engine.kill() : a.cut())
      }
      expect(await execution).toMatchObject({
        status: 'died',
        exitCode: 255,
        output: expect.stringMatching(/^early\n/),
      })
      expect(await printed(executor, sh('cat kept.txt'))).toBe('kept\n')
      expect(health(pool)).toEqual(['down', 'up'])
      expect(inUse(pool)).toEqual([0, 1])
      // None on the one that is gone, although it has more room.
      const waiting = executorOf(pool).start()
      await expect.poll(() => pool.state.waiting).toBe(1)
      await (how === 'killed' ? a.engine.launch() : a.mend())
      await waiting
      expect(health(pool)).toEqual(['up', 'up'])
      expect(inUse(pool)).toEqual([1, 1])
      // What was lost with it was removed before anything new came.
      expect(await a.engine.containerNames()).not.toContain(options.containerName)
    },
  )

  it('lose one between blocks: the next one runs on another, and says so', async () => {
    const [a] = engines as [TlsEngine]
    const pool = poolOf([2, 1])
    const executor = executorOf(pool)
    await printed(executor, sh('echo 1'))
    await a.engine.kill()
    const result = await executor.execute([sh('echo 2')])
    expect(result).toMatchObject({ status: 'ok', output: '2\n' })
    expect(noticeCodes(result)).toContain('container-replaced')
    expect(inUse(pool)).toEqual([0, 1])
    await a.engine.launch()
    await expect.poll(() => health(pool), { timeout: 20_000 }).toEqual(['up', 'up'])
  })

  it('stop executors of one that is gone, and remove their containers when it is back', async () => {
    const [a] = engines as [TlsEngine]
    const pool = poolOf([1])
    const executor = executorOf(pool)
    await executor.start()
    await a.engine.kill()
    await executor.stop()
    expect(health(pool)).toEqual(['down'])
    expect(await outcomeOf(executorOf(pool).start())).toMatchObject({
      code: 'ENGINE_UNREACHABLE',
      // A connection that was open when it died is closed first.
      data: { engine: 'a', fault: expect.stringMatching(/^(dead|closed)$/) },
    })
    await a.engine.launch()
    await expect.poll(() => health(pool), { timeout: 20_000 }).toEqual(['up'])
    expect(await a.engine.containerNames()).toEqual([])
  })

  it('go without one whose certificates are wrong, and say why', async () => {
    using others = new Certificates('127.0.0.1')
    const [a, b, c] = engines as [TlsEngine, TlsEngine, TlsEngine]
    const { certFile, keyFile } = others.tls
    const pool = new EnginePool({
      engines: [
        { name: 'a', docker: { host: a.host, tls: others.tls } },
        { name: 'b', docker: { host: b.host, tls: { ...b.connection.tls, certFile, keyFile } } },
        { name: 'c', docker: c.connection },
        { name: 'd', docker: { host: c.host, tls: { caFile: '/nowhere/ca.pem' } } },
      ],
    })
    onTestFinished(() => pool.close())
    const notices: Notice[] = []
    const executor = executorOf(pool)
    await executor.start({ onNotice: (notice) => notices.push(notice) })
    expect(health(pool)).toEqual(['down', 'down', 'up', 'down'])
    expect(inUse(pool)).toEqual([0, 0, 1, 0])
    expect(notices.filter(({ code }) => code === 'engine-skipped')).toMatchObject([
      { data: { engine: 'a', fault: 'tls' } },
      { data: { engine: 'b', fault: 'tls' } },
      { data: { engine: 'd', fault: 'tls', path: '/nowhere/ca.pem', reason: 'ENOENT' } },
    ])
  })

  it('find a container that was left running on its own engine', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-test-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    const pool = poolOf([1, 2])
    const options = { workDir: directory, containerName: 'pool-kept', stopContainer: false }
    const first = executorOf(pool, options)
    await printed(first, sh('echo > here.txt'))
    expect(inUse(pool)).toEqual([0, 1])
    await first.stop()
    // Now the other one has the greater share free.
    await executorOf(pool).start()
    const again = executorOf(pool, options)
    await again.start()
    expect(await engines[1]?.engine.containerNames()).toContain('pool-kept')
    expect(await engines[0]?.engine.containerNames()).not.toContain('pool-kept')
    await again.stop()
    const raw = await engines[1]?.engine.raw()
    await raw?.getContainer('pool-kept').remove({ force: true, v: true })
  })
})

describe.skipIf(remoteDocker.missing || sshDocker.missing)(
  'a socket, TLS and ssh in one pool',
  { timeout: 120_000 },
  () => {
    it('each run blocks', async () => {
      vi.stubEnv('PATH', `${ssh.path}${delimiter}${process.env.PATH}`)
      onTestFinished(() => void vi.unstubAllEnvs())
      const file = (name: string) => join(remote.certificates, name)
      const tls = { caFile: file('ca.pem'), certFile: file('cert.pem'), keyFile: file('key.pem') }
      await using pool = new EnginePool({
        engines: [
          { docker: process.env.DOCKER_HOST ?? '', capacity: 1 },
          { docker: { host: remote.host, tls }, capacity: 1 },
          { docker: ssh.host, capacity: 1 },
        ],
      })
      const executors = [1, 2, 3].map(
        () => new DockerCommandLineCodeExecutor({ image: 'fenced-test/busybox', docker: pool }),
      )
      try {
        await Promise.all(executors.map((executor) => executor.start()))
        expect(pool.state.engines.map(({ inUse }) => inUse)).toEqual([1, 1, 1])
        const outputs = await Promise.all(executors.map((executor) => printed(executor, sh('echo run'))))
        expect(outputs).toEqual(['run\n', 'run\n', 'run\n'])
      } finally {
        await Promise.all(executors.map((executor) => executor.stop()))
      }
    })
  },
)
