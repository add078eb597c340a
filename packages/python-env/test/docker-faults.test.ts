// @module-tag nightly

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DockerPythonEnvironment, type DockerPythonEnvironmentOptions } from '@fenced/python-env/docker'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { docker, TestImage } from './docker-support.ts'
import { folder, run } from './support.ts'

/** A hang, not a speed: Vitest's own is one second. */
const patience = { timeout: 120_000, interval: 50 }

/** An index that does not answer, and pip waits for it. */
const endless: DockerPythonEnvironmentOptions = {
  packages: ['tiny'],
  installNetwork: 'bridge',
  installEnv: { PIP_INDEX_URL: 'https://192.0.2.1/simple', PIP_TIMEOUT: '600' },
}

describe.skipIf(docker.missing)('an environment of Docker', () => {
  let image: TestImage
  let before: string[]
  beforeAll(async () => {
    image = await TestImage.make()
    before = await image.images()
  })
  afterEach(async () => {
    expect(await image.containers()).toEqual([])
    expect(await image.images()).toEqual(before)
  })
  afterAll(() => image?.remove())

  test.each<[what: string, options: DockerPythonEnvironmentOptions, code: string, data: object]>([
    [
      'a package that does not exist',
      { packages: ['no-such-package'] },
      'INSTALL_FAILED',
      { packages: 'no-such-package', exitCode: '1' },
    ],
    [
      'a package that cannot be built',
      { packages: ['unbuildable'] },
      'INSTALL_FAILED',
      { packages: 'unbuildable', output: expect.stringContaining('no compiler for this, key None') },
    ],
    [
      'a requirement that is none',
      { requirements: ['???'] },
      'INSTALL_FAILED',
      { output: expect.stringContaining('???') },
    ],
    [
      'a requirements file that is not there (D-39)',
      { requirements: '/no/requirements.txt' },
      'REQUIREMENTS_NOT_FOUND',
      { path: '/no/requirements.txt', option: 'requirements' },
    ],
    [
      'a network that is not there',
      { network: 'no-such-network' },
      'CONTAINER_REFUSED',
      { option: 'network' },
    ],
  ])('%s is a clear error, and nothing half-made is left', async (_, options, code, data) => {
    const environment = image.environment(options)
    const make = options.network === undefined ? environment.start() : environment.createExecutor()
    await expect(make).rejects.toMatchObject({ code, data })
    await environment.stop()
  })

  test.each<[what: string, options: DockerPythonEnvironmentOptions]>([
    ['without Python', {}],
    ['without Python for its packages', { packages: ['tiny'] }],
  ])('%s says so, and which image has one', async (_, options) => {
    const environment = new DockerPythonEnvironment({ image: 'fenced-test/busybox', ...options })
    await expect(environment.start()).rejects.toMatchObject({
      code: 'PYTHON_NOT_FOUND',
      data: { image: 'fenced-test/busybox', option: 'image' },
    })
  })

  test('whose Python is none says so', async () => {
    const path = join(await folder(), 'Dockerfile')
    await writeFile(
      path,
      'FROM fenced-test/busybox\nRUN printf "#!/bin/sh\\necho no snake\\n" > /bin/python3 && chmod +x /bin/python3\n',
    )
    const environment = new DockerPythonEnvironment({ build: path, keepImage: false })
    await expect(environment.start()).rejects.toMatchObject({
      code: 'PYTHON_NOT_FOUND',
      data: { status: 'ok', exitCode: '0', output: 'no snake', option: 'image' },
    })
  })

  test('a package that fails later leaves it as it was', async () => {
    await using environment = image.environment()
    await expect(environment.install(['no-such-package'])).rejects.toMatchObject({
      code: 'INSTALL_FAILED',
      data: { packages: 'no-such-package', image: image.name, exitCode: '1' },
    })
    await expect(environment.install(['--index-url=http://evil'])).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
    })
    await using executor = await environment.createExecutor()
    expect((await run(executor, 'python', 'print(1)')).output).toBe('1\n')
  })

  test('is not made any more when it is cancelled, and nothing of it is left', async () => {
    const controller = new AbortController()
    const reason = new Error('changed my mind')
    const start = image.environment(endless).start({ signal: controller.signal })
    start.catch(() => {})
    await untilPipRuns(image)
    controller.abort(reason)
    await expect(start).rejects.toBe(reason)
  })

  test('may be cancelled at every moment of its start', async () => {
    for (const timeMs of [0, 20, 60, 150, 300, 500, 800]) {
      const controller = new AbortController()
      const environment = image.environment({
        requirements: ['tiny', `# ${timeMs}`],
        keepImage: false,
      })
      const start = environment.createExecutor({ signal: controller.signal }).then(
        (executor) => executor.stop(),
        (error) => expect(error).toMatchObject({ name: 'AbortError' }),
      )
      await delay(timeMs)
      controller.abort()
      await start
      await environment.stop()
      expect(await image.containers()).toEqual([])
      expect(await image.images()).toEqual(before)
    }
  })

  test('comes up for the others when the one who began leaves', async () => {
    const controller = new AbortController()
    await using environment = image.environment()
    const first = environment.start({ signal: controller.signal })
    const second = environment.interpreter()
    controller.abort()
    await expect(first).rejects.toMatchObject({ name: 'AbortError' })
    expect((await second).platform).toBe('linux')
  })

  test('that is stopped while it is made says so to those who wait', async () => {
    const environment = image.environment(endless)
    const start = environment.start()
    start.catch(() => {})
    await untilPipRuns(image)
    await environment.stop()
    await expect(start).rejects.toMatchObject({ code: 'ENVIRONMENT_STOPPED' })
  })

  test('that is stopped while it installs gives that up, and the next in the row', async () => {
    const { packages, ...unreachable } = endless
    const environment = image.environment(unreachable)
    await environment.start()
    const installs = [environment.install(['tiny']), environment.install(['tiny_too'])]
    for (const install of installs) install.catch(() => {})
    await untilPipRuns(image)
    await environment.stop()
    for (const install of installs) {
      await expect(install).rejects.toMatchObject({ code: 'ENVIRONMENT_STOPPED' })
    }
  })

  test('wrong options are refused at the door', () => {
    const refused = (option: string) => expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option } })
    expect(() => new DockerPythonEnvironment({ packages: ['--index-url=http://evil'] })).toThrow(
      refused('packages.0'),
    )
    expect(() => new DockerPythonEnvironment({ build: 1 as never })).toThrow(refused('build'))
    expect(() => new DockerPythonEnvironment({ build: {} as never })).toThrow(refused('build.context'))
    expect(() => new DockerPythonEnvironment({ image: 'not an image' })).toThrow(refused('image'))
  })
})

async function untilPipRuns({ docker, label }: TestImage): Promise<void> {
  await vi.waitFor(async () => {
    const [container] = await docker.listContainers({ filters: { label: [label] } })
    if (container === undefined) throw new Error('there is none yet')
    const { Processes } = await docker.getContainer(container.Id).top()
    expect(Processes.flat().join(' ')).toContain('pip install')
  }, patience)
}
