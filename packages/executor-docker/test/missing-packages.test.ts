import { setTimeout as sleep } from 'node:timers/promises'
import type { ExecutionEvent } from '@fenced/core'
import { rowTags } from '@fenced/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { DockerCommandLineCodeExecutor, type DockerExecutorOptions } from '../src/index.ts'
import { noticeCodes, sh } from './blocks.ts'
import { imageEngine, makeImage, removeImage, uniqueName } from './image-support.ts'
import { imageDockerfile, makeWheels } from './image-wheels.ts'
import { containersNamed, rawEngine } from './raw-engine.ts'
import { docker } from './requirements.ts'

const image = uniqueName()
const label = `fenced.test.image=${image}`

/** An image with an index of its own, so that no network is needed. */
const offline = {
  image,
  installNetwork: 'none',
  installEnv: { PIP_NO_INDEX: 'true', PIP_FIND_LINKS: '/wheels' },
}

const py = (...lines: string[]) => ({ language: 'python', code: lines.join('\n') })

const mayInstall = (...installablePackages: string[]): DockerExecutorOptions => ({
  ...offline,
  missingPackages: 'install',
  installablePackages,
})

const rows = rowTags({ nightly: ['(copy)'] })

describe.skipIf(docker.missing)('a program in a container that lacks a package', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    const engine = await imageEngine()
    // A label of its own makes it another image, which has no layers of earlier tests.
    const Dockerfile = `${imageDockerfile}LABEL ${label}\n`
    await makeImage(engine.docker, image, { Dockerfile, 'wheels.py': makeWheels })
    return async () => {
      const made = await engine.docker.listImages({ filters: { label: [label] } })
      for (const { Id } of made.toSorted((a, b) => b.Created - a.Created))
        await removeImage(engine.docker, Id)
    }
  })

  it('is told which option brings it', async () => {
    await using executor = new DockerCommandLineCodeExecutor(offline)
    const result = await executor.execute([py('import tiny')])
    expect(result.blocks[0]?.notices).toMatchObject([
      {
        code: 'missing-package',
        data: { module: 'tiny', distribution: 'tiny', advice: expect.stringContaining('packages: ["tiny"]') },
      },
    ])
  })

  it('can ask pip, which says what it does, and reads its configuration file', async () => {
    const env = { ...offline.installEnv, PIP_TARGET: '/tmp/there' }
    await using executor = new DockerCommandLineCodeExecutor({ image, env })
    const lines = [
      'mkdir -p ~/.config/pip',
      String.raw`printf '[global]\nextra-index-url = https://pip.test/simple\n' > ~/.config/pip/pip.conf`,
      'python3 -m pip config get global.extra-index-url',
      'python3 -m pip install tiny',
    ]
    const { blocks } = await executor.execute([sh(lines.join('\n'))])
    expect(blocks).toMatchObject([
      {
        stdout: expect.stringMatching(
          /^https:\/\/pip\.test\/simple\n(.*\n)*Successfully installed tiny-1\.0\n$/,
        ),
        stderr: '',
      },
    ])
  })

  it.each(['bind', 'copy'] as const)(
    'gets it in a new container, and its files stay (%s)',
    rows,
    async (mode) => {
      const containerName = `fenced-test-${uniqueName()}`
      await using executor = new DockerCommandLineCodeExecutor({
        ...mayInstall('tiny', 'tiny_too'),
        containerName,
        workDirMode: mode,
      })
      await executor.execute([sh('echo kept > kept.txt; echo lost > /tmp/lost.txt')])
      const [before] = await containersNamed(containerName)
      const events: ExecutionEvent[] = []
      const execution = executor.execute([py("print('begun')", 'import tiny, tiny_too', 'print(tiny.value)')])
      for await (const event of execution) events.push(event)
      const result = await execution
      expect(result).toMatchObject({ status: 'ok', output: 'begun\n42\n' })
      expect(noticeCodes(result)).toEqual([
        'package-installed',
        'container-replaced',
        'package-installed',
        'container-replaced',
      ])
      const told = events.flatMap((event) => (event.type === 'notice' ? [event.notice] : []))
      // The second way finds the layers of the first one.
      if (mode === 'bind')
        expect(told).toContainEqual({
          code: 'install',
          message: expect.any(String),
          data: { packages: 'tiny', image },
        })
      const [after] = await containersNamed(containerName)
      expect(after?.Id).not.toBe(before?.Id)
      expect(await layersOf(after?.ImageID)).toBe(1 + ((await layersOf(before?.ImageID)) ?? 0))
      const later = await executor.execute([sh('cat kept.txt; ls /tmp/lost.txt')])
      // Two streams: which of them arrives first is the engine's affair.
      expect(later.blocks).toMatchObject([
        { stdout: 'kept\n', stderr: expect.stringContaining('No such file') },
      ])
      expect(noticeCodes(later)).toEqual(['outside-work-dir'])
      expect((await executor.execute([py('import tiny; print(tiny.value)')])).output).toBe('42\n')
    },
  )

  it('gets it at the request of its caller, and keeps the files of the working directory', async () => {
    await using executor = new DockerCommandLineCodeExecutor({ ...offline, installablePackages: 'any' })
    await executor.execute([sh('echo kept > kept.txt')])
    const told: string[] = []
    await executor.installPackages?.(['tiny==1.0'], { onNotice: ({ code }) => void told.push(code) })
    expect(told).toContain('install')
    const result = await executor.execute([py("import tiny; print(tiny.value, open('kept.txt').read())")])
    expect(result).toMatchObject({ status: 'ok', output: '42 kept\n\n' })
    await expect(executor.installPackages?.(['nowhere'])).rejects.toMatchObject({ code: 'INSTALL_FAILED' })
    expect((await executor.execute([py('import tiny; print(tiny.value)')])).output).toBe('42\n')
  })

  it('gets it again after a restart', async () => {
    await using executor = new DockerCommandLineCodeExecutor(mayInstall('tiny'))
    for (const round of [1, 2]) {
      const result = await executor.execute([py('import tiny; print(tiny.value)')])
      expect(result, `round ${round}`).toMatchObject({ status: 'ok', output: '42\n' })
      await executor.restart()
    }
  })

  it('is told why it cannot be had, and the container is the same', async () => {
    await using executor = new DockerCommandLineCodeExecutor(mayInstall('nowhere'))
    await executor.execute([sh('echo here > /tmp/here.txt')])
    const result = await executor.execute([py('import nowhere')])
    expect(noticeCodes(result)).toEqual(['missing-package', 'install-failed'])
    expect(result.output).toContain("No module named 'nowhere'")
    expect(result.blocks[0]?.notices[1]?.data).toMatchObject({
      packages: 'nowhere',
      output: expect.stringContaining('No matching distribution found for nowhere'),
    })
    expect((await executor.execute([sh('cat /tmp/here.txt')])).output).toBe('here\n')
  })

  it('can be cancelled while it is installed, and the executor goes on', async () => {
    await using executor = new DockerCommandLineCodeExecutor({
      ...mayInstall('slow'),
      installNetwork: 'bridge',
      // The network does not answer, and pip waits for it.
      installEnv: { PIP_INDEX_URL: 'https://192.0.2.1/simple', PIP_TIMEOUT: '600' },
    })
    const controller = new AbortController()
    const execution = executor.execute([py('import slow')], { signal: controller.signal })
    for await (const event of execution) {
      if (event.type !== 'notice' || event.notice.code !== 'install') continue
      await sleep(500)
      controller.abort()
    }
    expect(await execution).toMatchObject({ status: 'cancelled', exitCode: 125 })
    expect((await executor.execute([py('print(1)')])).output).toBe('1\n')
  })

  it.each([
    [{ missingPackages: 'install' }, 'missingPackages'],
    [{ installablePackages: ['tiny'] }, 'installablePackages'],
  ] as const)('cannot have it in a container that is to be kept: %j', (given, option) => {
    const options = { ...given, stopContainer: false, containerName: 'kept', workDir: '/tmp/x' }
    expect(() => new DockerCommandLineCodeExecutor(options)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option } }),
    )
  })
})

/** How many layers an image has; an engine takes some 125 on top of each other. */
async function layersOf(imageId = ''): Promise<number | undefined> {
  const { RootFS } = await (await rawEngine()).getImage(imageId).inspect()
  return RootFS.Layers?.length
}
