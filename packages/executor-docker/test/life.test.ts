import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { rowTags, uniqueSeconds } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
// @boundaries-ignore Test helper of several packages; no package exports it.
import { enterOwnRealm, inOwnRealm, leaveOwnRealm } from '../../../testing/own-realm.ts'
import { DockerCommandLineCodeExecutor, type DockerExecutorOptions } from '../src/index.ts'
import { noticeCodes, printed, sh } from './blocks.ts'
import { EngineProxy } from './faults/engine-proxy.ts'
import { requests } from './faults/fault.ts'
import { makeImage, removeImage } from './image-support.ts'
import { containersNamed, rawEngine, removeContainer } from './raw-engine.ts'
import { docker } from './requirements.ts'

beforeAll(enterOwnRealm)
afterAll(leaveOwnRealm)

const image = 'fenced-test/busybox'

/** A name that no other test has. */
function uniqueName(): string {
  return `fenced-test-life-${uniqueSeconds()}`
}

async function gone(name: string): Promise<void> {
  while ((await containersNamed(name)).length > 0) await delay(200)
}

describe.skipIf(docker.missing)('a container', { concurrent: true }, () => {
  it('is there from start() to stop(), with its labels, and both may be called again', async () => {
    const containerName = uniqueName()
    await using executor = new DockerCommandLineCodeExecutor({ image, containerName })
    await Promise.all([executor.start(), executor.start()])
    const [container, ...others] = await containersNamed(containerName)
    expect(others).toEqual([])
    expect(container?.Labels).toMatchObject({ 'fenced.owner.process-id': `${process.pid}` })
    await Promise.all([executor.stop(), executor.stop()])
    expect(await containersNamed(containerName)).toEqual([])
    await executor.stop()
  })

  it('ends itself at maxLifetimeMs, also under a block, whose end is known to be unknown', async () => {
    await using executor = new DockerCommandLineCodeExecutor({ image, maxLifetimeMs: 15_000 })
    const result = await executor.execute([sh('echo early; sleep 100')])
    expect(result).toMatchObject({ status: 'died', exitCode: 255 })
    expect(result.output).toMatch(/^early\n/)
    expect(noticeCodes(result)).toEqual(['died'])
    expect(await printed(executor, sh('echo usable'))).toBe('usable\n')
  })

  it('ends itself when it was idle, and the next block gets a new one and says so', async () => {
    const containerName = uniqueName()
    await using executor = new DockerCommandLineCodeExecutor({ image, containerName, idleTimeoutMs: 12_000 })
    await printed(executor, sh('touch $HOME/installed; touch file'))
    await gone(containerName)
    const result = await executor.execute([sh('ls $HOME; ls')])
    expect(result).toMatchObject({ status: 'ok', output: 'file\n' })
    expect(noticeCodes(result)).toEqual(['container-replaced'])
  })

  it('ends itself when it was idle, also if its image has a health check', async ({ onTestFinished }) => {
    const raw = await rawEngine()
    const checked = uniqueName()
    const Dockerfile = `FROM ${image}\nHEALTHCHECK --interval=1s CMD true\n`
    await makeImage(raw, checked, { Dockerfile })
    onTestFinished(() => removeImage(raw, checked))
    const containerName = uniqueName()
    await using executor = new DockerCommandLineCodeExecutor({
      image: checked,
      containerName,
      idleTimeoutMs: 12_000,
    })
    await executor.start()
    expect((await raw.getContainer(containerName).inspect()).State.Health).toBeUndefined()
    await gone(containerName)
  })

  it('is not idle while a block runs or blocks follow each other', { tags: 'nightly' }, async () => {
    await using executor = new DockerCommandLineCodeExecutor({ image, idleTimeoutMs: 5_000 })
    expect(await executor.execute([sh('sleep 7; echo done')])).toMatchObject({ output: 'done\n' })
    for (let count = 0; count < 5; count++) {
      await delay(1_000)
      expect(noticeCodes(await executor.execute([sh('true')]))).toEqual([])
    }
  })

  it('that was removed by somebody is made again for the next block', async () => {
    const containerName = uniqueName()
    await using executor = new DockerCommandLineCodeExecutor({ image, containerName })
    await executor.start()
    await removeContainer(containerName)
    const result = await executor.execute([sh('echo usable')])
    expect(result).toMatchObject({ status: 'ok', output: 'usable\n' })
    expect(noticeCodes(result)).toEqual(['container-replaced'])
  })

  it('that is removed under a block gives died, at once', async () => {
    const containerName = uniqueName()
    await using executor = new DockerCommandLineCodeExecutor({ image, containerName })
    const execution = executor.execute([sh('echo early; sleep 100')])
    for await (const { type } of execution) if (type === 'stdout') await removeContainer(containerName)
    expect(await execution).toMatchObject({ status: 'died', exitCode: 255 })
    expect(await printed(executor, sh('echo usable'))).toBe('usable\n')
  })

  it('whose start is cancelled leaves nothing', async () => {
    const containerName = uniqueName()
    const reason = new Error('changed my mind')
    const outcomes: unknown[] = []
    for (const afterMs of [0, 20, 60, 120, 200]) {
      await using executor = new DockerCommandLineCodeExecutor({ image, containerName })
      const started = executor.start({ signal: AbortSignal.any([abortedAfter(afterMs, reason)]) })
      outcomes.push(
        await started.then(
          () => 'started',
          (error: unknown) => error,
        ),
      )
      await executor.stop()
      expect(await containersNamed(containerName), `after ${afterMs} ms`).toEqual([])
    }
    // No engine makes a container before the first timer of this process.
    expect(outcomes[0]).toBe(reason)
    for (const outcome of outcomes) expect([reason, 'started']).toContain(outcome)
  })
})

describe.skipIf(docker.missing)('stopContainer: false', () => {
  it('keeps the container, and an executor with the same options goes on with it', async () => {
    const containerName = uniqueName()
    const workDir = await mkdtemp(join(tmpdir(), 'fenced-test-'))
    onTestFinished(() => rm(workDir, { recursive: true }))
    const options: DockerExecutorOptions = { image, containerName, workDir, stopContainer: false }
    const first = new DockerCommandLineCodeExecutor(options)
    await printed(first, sh('echo kept > $HOME/state'))
    await first.stop()
    expect(await containersNamed(containerName)).toHaveLength(1)
    await using second = new DockerCommandLineCodeExecutor(options)
    expect(await printed(second, sh('cat $HOME/state'))).toBe('kept\n')
    for (const different of [{ pids: 100 }, { initCommand: 'echo changed > $HOME/state' }]) {
      const other = new DockerCommandLineCodeExecutor({ ...options, ...different, allowSharedWorkDir: true })
      await expect(other.start()).rejects.toMatchObject({ code: 'CONTAINER_NAME_TAKEN' })
      await other.stop()
    }
    expect(await printed(second, sh('cat $HOME/state'))).toBe('kept\n')
    await second.stop()
    await removeContainer(containerName)
  })

  it('needs a name and a working directory', () => {
    const refused = (option: string) => expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option } })
    expect(() => new DockerCommandLineCodeExecutor({ stopContainer: false })).toThrow(
      refused('containerName, workDir'),
    )
    expect(() => new DockerCommandLineCodeExecutor({ stopContainer: false, containerName: 'x1' })).toThrow(
      refused('workDir'),
    )
  })

  it('a container of that name which is somebody else’s is left alone', async () => {
    const containerName = uniqueName()
    const engine = await rawEngine()
    const foreign = await engine.createContainer({ name: containerName, Image: image, Cmd: ['sleep', '60'] })
    onTestFinished(() => foreign.remove({ force: true }))
    // A small one: stop() looks at all that is in it.
    const workDir = await mkdtemp(join(tmpdir(), 'fenced-test-'))
    onTestFinished(() => rm(workDir, { recursive: true }))
    for (const options of [{}, { stopContainer: false, workDir }]) {
      const executor = new DockerCommandLineCodeExecutor({ image, containerName, ...options })
      await expect(executor.start()).rejects.toMatchObject({ code: 'CONTAINER_NAME_TAKEN' })
      await executor.stop()
    }
    expect(await containersNamed(containerName)).toHaveLength(1)
  })
})

describe.skipIf(docker.missing)('a host process that was killed', { timeout: 120_000 }, () => {
  it('its containers and temporary directories go at the next start, and nobody else’s do', async () => {
    const prefix = uniqueName()
    const engine = await rawEngine()
    const foreign = await engine.createContainer({
      name: `${prefix}-foreign`,
      Image: image,
      Cmd: ['sleep', '60'],
    })
    onTestFinished(() => foreign.remove({ force: true }))
    await using alive = new DockerCommandLineCodeExecutor({ image, containerName: `${prefix}-alive` })
    await alive.start()
    using proxy = await EngineProxy.start()
    const workDirs = await killedUnheard(proxy, prefix, 2)
    expect(await containersNamed(prefix)).toHaveLength(4)
    await using next = new DockerCommandLineCodeExecutor({ image })
    const heard: string[] = []
    await next.start({ onNotice: ({ code }) => heard.push(code) })
    expect(heard).toContain('leftovers-removed')
    const left = (await containersNamed(prefix)).flatMap(({ Names }) => Names)
    expect(left.sort()).toEqual([`/${prefix}-alive`, `/${prefix}-foreign`])
    expect(workDirs.filter((path) => existsSync(path))).toEqual([])
    expect(await printed(alive, sh('echo usable'))).toBe('usable\n')
  })

  it('its containers that the engine cannot remove do not stand in the way, and are told', async () => {
    const prefix = uniqueName()
    using unheard = await EngineProxy.start()
    const [workDir = ''] = await killedUnheard(unheard, prefix, 1)
    using proxy = await EngineProxy.start()
    const answer = { status: 500, type: 'application/json', body: '{ "message": "the disk is on fire" }' }
    proxy.inject({ ...requests.remove, nth: 1 }, { answer, isDone: false })
    const heard: string[] = []
    {
      await using next = new DockerCommandLineCodeExecutor({ image, docker: proxy.address })
      await next.start({ onNotice: ({ code }) => heard.push(code) })
      expect(await printed(next, sh('echo usable'))).toBe('usable\n')
    }
    expect(await containersNamed(prefix)).toHaveLength(1)
    expect(existsSync(workDir)).toBe(true)
    await using another = new DockerCommandLineCodeExecutor({ image })
    await another.start({ onNotice: ({ code }) => heard.push(code) })
    expect(heard).toEqual(['leftovers-remain', 'leftovers-removed'])
    expect(await containersNamed(prefix)).toEqual([])
    expect(existsSync(workDir)).toBe(false)
  })

  it('its containers end themselves even if nobody comes', async () => {
    const prefix = uniqueName()
    using proxy = await EngineProxy.start()
    const workDirs = await killedUnheard(proxy, prefix, 1, { maxLifetimeMs: 15_000 })
    await gone(prefix)
    for (const path of workDirs) await rm(path, { recursive: true, force: true })
  })
})

const rows = rowTags({ nightly: ['SIGINT'] })

describe.skipIf(docker.missing)('a host process that ends by a signal', { timeout: 120_000 }, () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('takes its container with it: %s', rows, async (signal) => {
    const prefix = uniqueName()
    const host = hostOf(prefix, 1)
    const workDirs = await workDirsOf(host)
    host.kill(signal)
    expect(await once(host, 'exit')).toEqual([null, signal])
    await gone(prefix)
    expect(workDirs.filter((path) => existsSync(path))).toEqual([])
  })

  it.each<[what: string, program: string, options: DockerExecutorOptions]>([
    ['an initCommand runs', 'sleep 1000', { initCommand: 'sleep 1000' }],
    [
      'packages are installed',
      'pip install',
      {
        image: 'fenced-test/python',
        packages: ['six'],
        // An index that does not answer, and pip waits for it.
        installEnv: { PIP_INDEX_URL: 'https://192.0.2.1/simple', PIP_TIMEOUT: '600' },
      },
    ],
  ])('takes the container of a start with it, while %s', async (_, program, options) => {
    const engine = await rawEngine()
    const host = hostOf(uniqueName(), 1, options)
    const label = [`fenced.owner.process-id=${host.pid}`]
    const programs = async () => {
      const containers = await engine.listContainers({ filters: { label } })
      const tops = containers.map(({ Id }) => engine.getContainer(Id).top())
      return (await Promise.all(tops)).map(({ Processes }) => `${Processes}`)
    }
    while (!(await programs()).some((programsOfOne) => programsOfOne.includes(program))) await delay(200)
    host.kill('SIGTERM')
    expect(await once(host, 'exit')).toEqual([null, 'SIGTERM'])
    while ((await engine.listContainers({ filters: { label } })).length > 0) await delay(200)
  })
})

/**
 * Starts executors in a process of their own, kills it with SIGKILL, and tells their working directories. The engine does not learn of
 * its end, so the containers stay.
 */
async function killedUnheard(
  proxy: EngineProxy,
  prefix: string,
  count: number,
  options: DockerExecutorOptions = {},
): Promise<string[]> {
  const host = hostOf(prefix, count, { ...options, docker: proxy.address })
  const workDirs = await workDirsOf(host)
  proxy.freeze()
  host.kill('SIGKILL')
  await once(host, 'exit')
  return workDirs
}

/** A process that starts executors, and waits. */
function hostOf(prefix: string, count: number, options: DockerExecutorOptions = {}) {
  const program = join(import.meta.dirname, 'programs/start-and-wait.ts')
  const args = [
    '--conditions=@fenced/source',
    ...inOwnRealm,
    program,
    prefix,
    `${count}`,
    JSON.stringify({ image, ...options }),
  ]
  const host = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void host.kill('SIGKILL'))
  return host
}

/** The working directories of a host's executors, once they have all begun a block. */
async function workDirsOf(host: ReturnType<typeof hostOf>): Promise<string[]> {
  const [line] = (await once(host.stdout, 'data')) as [Buffer]
  return JSON.parse(line.toString())
}

function abortedAfter(timeMs: number, reason: Error): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(reason), timeMs)
  return controller.signal
}

describe.skipIf(docker.missing)('a host process that ends without stop()', { timeout: 120_000 }, () => {
  it('takes its container with it', async () => {
    const name = uniqueName()
    const program = join(import.meta.dirname, 'programs/forget.ts')
    const args = ['--conditions=@fenced/source', program, JSON.stringify({ image, containerName: name })]
    const host = spawn(process.execPath, args, { stdio: 'inherit' })
    expect(await once(host, 'exit')).toEqual([0, null])
    await gone(name)
  })
})
