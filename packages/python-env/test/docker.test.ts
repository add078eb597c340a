// @module-tag all

import { existsSync } from 'node:fs'
import { chmod, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type PythonEnvironment, WorkingDirectory } from '@fenced/python-env'
import { DockerPythonEnvironment } from '@fenced/python-env/docker'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { docker, heard, TestImage } from './docker-support.ts'
import { folder, run } from './support.ts'

const useTiny = ['import tiny', 'print(tiny.value)'] as const

describe.skipIf(docker.missing)('the Python of an image', () => {
  let image: TestImage
  beforeAll(async () => {
    image = await TestImage.make()
  })
  afterEach(async () => expect(await image.containers()).toEqual([]))
  afterAll(() => image?.remove())

  test('says what it is, as it says it itself', { tags: 'nightly' }, async () => {
    await using environment = image.environment()
    const interpreter = await environment.interpreter()
    expect(interpreter).toMatchObject({ implementation: 'cpython', platform: 'linux' })
    await using executor = await environment.createExecutor()
    const said = await run(
      executor,
      'python',
      'import sys, platform',
      'print(sys.executable, sys.prefix, platform.python_version(), platform.machine())',
    )
    const { path, prefix, version, machine } = interpreter
    expect(said.output).toBe(`${path} ${prefix} ${version} ${machine}\n`)
  })

  test('does nothing before it is needed', { tags: 'nightly' }, async () => {
    const environment = new DockerPythonEnvironment({ docker: 'unix:///no/such/docker.sock' })
    await environment.stop()
    await expect(environment.start()).rejects.toMatchObject({
      code: 'ENGINE_UNREACHABLE',
      data: { engine: 'unix:///no/such/docker.sock', fault: 'absent' },
    })
  })

  test('has its packages, and the next start installs nothing', async () => {
    const packages = ['tiny', 'tiny_too']
    const first = heard()
    await using environment = image.environment({ packages })
    await environment.start(first.options)
    expect(first.codes).toContain('install')
    const images = await image.images()
    const second = heard()
    await using again = image.environment({ packages: [...packages].reverse() })
    await using executor = await again.createExecutor(second.options)
    expect(second.codes).not.toContain('install')
    expect((await run(executor, 'python', ...useTiny)).output).toBe('42\n')
    expect(await image.images()).toEqual(images)
  })

  test('makes executors on its own engine, also when another one is named meanwhile', async () => {
    await using environment = image.environment()
    await environment.start()
    vi.stubEnv('DOCKER_HOST', 'unix:///no/such/docker.sock')
    try {
      await using executor = await environment.createExecutor()
      expect((await run(executor, 'python', 'print(1)')).output).toBe('1\n')
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('takes requirements, as lines', { tags: 'nightly' }, async () => {
    await using environment = image.environment({ requirements: ['# ours', 'tiny==1.0'] })
    await using executor = await environment.createExecutor()
    expect((await run(executor, 'python', ...useTiny)).output).toBe('42\n')
  })

  test('gets packages later, for the executors that are made from then on', { tags: 'nightly' }, async () => {
    await using environment = image.environment()
    await using before = await environment.createExecutor()
    await environment.install(['tiny'])
    await environment.install([])
    await using after = await environment.createExecutor()
    expect((await run(before, 'python', ...useTiny)).output).toContain('ModuleNotFoundError')
    expect((await run(after, 'python', ...useTiny)).output).toBe('42\n')
  })

  test('gets packages from two who ask at the same time', { tags: 'nightly' }, async () => {
    await using environment = image.environment({ requirements: ['# for two'] })
    await Promise.all([environment.install(['tiny']), environment.install(['tiny_too'])])
    await using executor = await environment.createExecutor()
    const { output } = await run(executor, 'python', 'import tiny, tiny_too', 'print(tiny_too.value)')
    expect(output).toBe('42\n')
  })

  test('is made once for all who want it at the same time', { tags: 'nightly' }, async () => {
    const before = await image.images()
    await using environment = image.environment({ requirements: ['tiny', '# at once'] })
    const executors = await Promise.all([1, 2, 3].map(() => environment.createExecutor()))
    const results = await Promise.all(executors.map((executor) => run(executor, 'python', ...useTiny)))
    await Promise.all(executors.map((executor) => executor.stop()))
    expect(results.map(({ output }) => output)).toEqual(['42\n', '42\n', '42\n'])
    expect((await image.images()).length).toBe(before.length + 1)
  })

  test('D-39: the working directory is really shared, and files belong to the caller', async () => {
    const [cwd, env] = [process.cwd(), { ...process.env }]
    await using environment = image.environment()
    await using directory = WorkingDirectory.createTmp()
    const options = { workDir: directory, allowSharedWorkDir: true }
    await using first = await environment.createExecutor(options)
    await run(first, 'python', "open('poem.txt', 'w').write('roses are red')")
    const path = join(directory.path, 'poem.txt')
    expect(await readFile(path, 'utf8')).toBe('roses are red')
    // Root gives an empty directory to the programs' user.
    if (process.platform !== 'win32') expect((await stat(path)).uid).toBe(process.getuid?.() || 65_534)
    await using second = await environment.createExecutor(options)
    expect((await run(second, 'python', "print(open('poem.txt').read())")).output).toBe('roses are red\n')
    expect([process.cwd(), process.env]).toEqual([cwd, env])
  })

  test('has no network unless it is asked for', async () => {
    await using environment = image.environment({ network: 'bridge' })
    await using connected = await environment.createExecutor()
    await using alone = await environment.createExecutor({ network: 'none' })
    await using usual = await image.environment().createExecutor()
    const list = 'print(sorted(__import__("os").listdir("/sys/class/net")))'
    expect((await run(connected, 'python', list)).output).toContain('eth0')
    for (const executor of [alone, usual]) {
      expect((await run(executor, 'python', list)).output).not.toContain('eth0')
    }
  })

  test('gives its executors volumes, variables and limits, which each may change', {
    tags: 'nightly',
  }, async () => {
    const [one, two] = [await folder(), await folder()]
    // Where the tests run as root, programs in a container do not.
    for (const path of [one, two]) await chmod(path, 0o777)
    await using environment = image.environment({
      volumes: [{ source: one, target: '/one', readOnly: false }],
      env: { COLOUR: 'red', SHAPE: 'round' },
      memoryBytes: 2 ** 28,
    })
    await using executor = await environment.createExecutor({
      volumes: [{ source: two, target: '/two' }],
      env: { SHAPE: 'square' },
      memoryBytes: undefined,
      cpus: 0.5,
    })
    const result = await run(
      executor,
      'sh',
      'touch /one/made; echo $COLOUR $SHAPE; touch /two/made 2>/dev/null || echo refused',
    )
    expect(result.output).toBe('red square\nrefused\n')
    expect(result.isolation?.particulars).toMatchObject({ memoryBytes: 2 ** 28, cpus: 0.5 })
    expect([one, two].map((path) => existsSync(join(path, 'made')))).toEqual([true, false])
  })

  test('is an environment like every other one', { tags: 'nightly' }, async () => {
    await using docker = image.environment()
    const environment: PythonEnvironment = docker
    await using directory = new WorkingDirectory(await folder())
    await using executor = await environment.createExecutor({
      workDir: directory,
      timeoutMs: 30_000,
      redact: ['secret'],
    })
    expect((await run(executor, 'python', 'print("a secret")')).output).toBe('a [redacted]\n')
    expect(executor.capabilities.isolation).toBe('container')
  })

  test('can be used again after stop()', { tags: 'nightly' }, async () => {
    const environment = image.environment()
    await environment.start()
    await environment.stop()
    await environment.stop()
    await using executor = await environment.createExecutor()
    expect((await run(executor, 'python', 'print(1)')).output).toBe('1\n')
    await environment.stop()
    expect((await run(executor, 'python', 'print(2)')).output).toBe('2\n')
  })
})
