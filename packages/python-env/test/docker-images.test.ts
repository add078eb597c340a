// @module-tag nightly

import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FencedError } from '@fenced/core'
import { DockerPythonEnvironment } from '@fenced/python-env/docker'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { docker, TestImage } from './docker-support.ts'
import { folder, run } from './support.ts'

const useTiny = ['import tiny', 'print(tiny.value)'] as const

describe.skipIf(docker.missing)('the images of an environment', () => {
  let image: TestImage
  let before: string[]
  beforeEach(async () => {
    image = await TestImage.make()
    before = await image.images()
    onTestFinished(() => image.remove())
  })

  /** A Dockerfile that builds on the image of the test. */
  async function dockerfile(...lines: string[]): Promise<string> {
    const path = join(await folder(), 'Dockerfile')
    await writeFile(path, [`FROM ${image.name}`, ...lines, ''].join('\n'))
    return path
  }

  test('stay, unless they are not to be kept', async () => {
    const keeping = image.environment({ packages: ['tiny'] })
    await keeping.start()
    await keeping.stop()
    expect((await image.images()).length).toBe(before.length + 1)
  })

  test('that it made go, with what install() added, and no other one', async () => {
    const environment = image.environment({ packages: ['tiny'], keepImage: false })
    await environment.start()
    await environment.install(['tiny_too'])
    expect((await image.images()).length).toBe(before.length + 2)
    await environment.stop()
    expect(await image.images()).toEqual(before)
  })

  test('that were there before stay', async () => {
    await image.environment({ packages: ['tiny'] }).start()
    const images = await image.images()
    const second = image.environment({ packages: ['tiny'], keepImage: false })
    await using executor = await second.createExecutor()
    expect((await run(executor, 'python', ...useTiny)).output).toBe('42\n')
    await executor.stop()
    await second.stop()
    const third = image.environment({ keepImage: false })
    await third.start()
    await third.stop()
    expect(await image.images()).toEqual(images)
  })

  test('that it built go, with their steps, and what they were built from stays', async () => {
    const build = await dockerfile('ENV A=1', 'RUN echo built > /built', 'ENV B=2')
    const all = await image.docker.listImages({ all: true })
    const environment = image.environment({ build, packages: ['tiny'], keepImage: false })
    await using executor = await environment.createExecutor()
    expect((await run(executor, 'sh', 'cat /built')).output).toBe('built\n')
    await executor.stop()
    await environment.stop()
    expect(await image.images()).toEqual(before)
    const ids = new Set(all.map(({ Id }) => Id))
    const left = (await image.docker.listImages({ all: true })).filter(({ Id }) => !ids.has(Id))
    expect(left.filter(({ Labels }) => Labels?.['fenced.test.image'] === image.name)).toEqual([])
  })

  test('that were built before stay', async () => {
    const build = await dockerfile('ENV A=1')
    await image.environment({ build }).start()
    const images = await image.images()
    const second = image.environment({ build, keepImage: false })
    await second.start()
    await second.stop()
    expect(await image.images()).toEqual(images)
  })

  test('that something uses stay, and that is said; stop() can be called again', async () => {
    const environment = image.environment({ packages: ['tiny'], keepImage: false })
    const executor = await environment.createExecutor()
    await expect(environment.stop()).rejects.toMatchObject({
      code: 'IMAGE_IN_USE',
      data: { reason: expect.stringMatching(/using|used/) },
    })
    expect((await run(executor, 'python', ...useTiny)).output).toBe('42\n')
    await executor.stop()
    await environment.stop()
    expect(await image.images()).toEqual(before)
  })

  test('go after a start that fails when they are not to be kept', async () => {
    const build = await dockerfile('ENV A=1')
    const environment = image.environment({ build, packages: ['no-such-package'], keepImage: false })
    await expect(environment.start()).rejects.toMatchObject({ code: 'INSTALL_FAILED' })
    expect(await image.images()).toEqual(before)
  })

  test('that somebody has removed are made again after stop()', async () => {
    await using environment = image.environment({ packages: ['tiny'] })
    await environment.start()
    for (const id of await image.images()) {
      if (!before.includes(id)) await image.docker.getImage(id).remove()
    }
    const error = await environment.createExecutor().catch((error) => error)
    expect(error).toBeInstanceOf(FencedError)
    expect(error).toMatchObject({
      code: 'IMAGE_NOT_FOUND',
      data: { image: expect.stringContaining(image.name) },
    })
    await environment.stop()
    await using executor = await environment.createExecutor()
    expect((await run(executor, 'python', ...useTiny)).output).toBe('42\n')
  })

  test('D-39: the bare name of a Dockerfile is one in the current directory', async () => {
    const path = await dockerfile('ENV A=1')
    const program = join(import.meta.dirname, 'programs', 'build-image.ts')
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--conditions=@fenced/source', program, 'Dockerfile'],
      { cwd: join(path, '..'), encoding: 'utf8' },
    )
    expect(stderr).toBe('')
    expect(stdout).toMatch(/^3\.\d+/)
    expect(await image.images()).toEqual(before)
  })

  test('are built with arguments, from the file that is named', async () => {
    const path = await dockerfile('ARG WHO=nobody', 'RUN echo $WHO > /who')
    const build = { context: join(path, '..'), dockerfile: 'Dockerfile', buildArgs: { WHO: 'anna' } }
    await using environment = image.environment({ build, keepImage: false })
    await using executor = await environment.createExecutor()
    expect((await run(executor, 'sh', 'cat /who')).output).toBe('anna\n')
  })
})

describe.skipIf(docker.missing)('an image that cannot be had', () => {
  test.each([
    [{ build: '/no/such/Dockerfile' }, 'BUILD_CONTEXT_NOT_FOUND', { path: '/no/such', option: 'build' }],
    [{ build: import.meta.dirname }, 'BUILD_CONTEXT_NOT_FOUND', { option: 'build' }],
    [
      { image: 'fenced-test/no-such', pull: 'never' as const },
      'IMAGE_NOT_FOUND',
      { image: 'fenced-test/no-such' },
    ],
    [
      { image: 'fenced-test/python', platform: 'linux/riscv64', pull: 'never' as const },
      'WRONG_PLATFORM',
      { image: 'fenced-test/python', needed: 'linux/riscv64', option: 'platform' },
    ],
  ])('%j is a clear error', async (options, code, data) => {
    await expect(new DockerPythonEnvironment(options).start()).rejects.toMatchObject({
      code,
      data,
    })
  })
})
