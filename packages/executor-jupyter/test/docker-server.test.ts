// @module-tag all

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Notice } from '@fenced/core'
import { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { DockerJupyterServer, type DockerJupyterServerOptions } from '@fenced/executor-jupyter/docker'
import Docker from 'dockerode'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { pythonImage as baseImage, docker } from './docker.ts'
import { run } from './support.ts'

/** Building our image downloads what it is made of; once built it is found again. */
const buildTimeout = 600_000

describe.skipIf(docker.missing)('a server in a container with a network', () => {
  const engine = new Docker()
  const stack: Array<() => Promise<void>> = []

  beforeAll(async () => {
    await using server = new DockerJupyterServer({ baseImage })
    await server.connect()
  }, buildTimeout)
  afterEach(async () => {
    for (const stop of stack.splice(0).reverse()) await stop()
  })

  function serve(options: DockerJupyterServerOptions = {}): DockerJupyterServer {
    const server = new DockerJupyterServer({ baseImage, network: 'open', ...options })
    stack.push(() => server.stop())
    return server
  }

  async function containersOf(processId: number | undefined) {
    return engine.listContainers({ all: true, filters: { label: [`fenced.owner.process-id=${processId}`] } })
  }

  test('runs cells, and says in every result what stood around them', async () => {
    await using executor = new JupyterCodeExecutor({ server: serve({ memoryBytes: 2 ** 30 }) })
    expect((await run(executor, 'import os', 'print(os.getcwd())')).output).toBe('/workspace\n')
    const result = await run(executor, 'print("Hello, World!")')
    expect(result).toMatchObject({ status: 'ok', exitCode: 0, output: 'Hello, World!\n', files: [] })
    expect(result.isolation).toEqual({
      kind: 'container',
      network: 'open',
      particulars: { memoryBytes: 2 ** 30, cpus: 1, pids: 512 },
    })
    expect(executor.capabilities.limits).toEqual({ memory: true, processes: true, cpu: true })
  })

  test('finds its image again, whose recipe can be read', { tags: 'nightly' }, async () => {
    const notices: Notice[] = []
    await serve().connect({ onNotice: (notice) => notices.push(notice) })
    expect(notices.filter(({ code }) => code === 'install')).toEqual([])
    expect(DockerJupyterServer.DEFAULT_DOCKERFILE).toMatch(/^ARG BASE=python:3-slim\nFROM \$\{BASE\}\n/)
  })

  test('is published on 127.0.0.1 only, and its token is nowhere to be read, also without a network', async () => {
    const server = serve({ network: 'none' })
    const { host, port, token = '' } = await server.connect()
    const [found] = await containersOf(process.pid)
    expect([host, token.length]).toEqual(['127.0.0.1', 64])
    const details = await engine.getContainer(found?.Id ?? '').inspect()
    expect(details.HostConfig.PortBindings ?? {}).toEqual({})
    expect(JSON.stringify(details)).not.toContain(token)
    const status = async (given: string) =>
      (await fetch(`http://${host}:${port}/api/kernels`, { headers: { authorization: `token ${given}` } }))
        .status
    expect([await status(token), await status('another')]).toEqual([200, 403])
    await using executor = new JupyterCodeExecutor({ server })
    const seen = await run(
      executor,
      'import os, glob',
      "print(dict(os.environ), [open(f, errors='replace').read() for f in glob.glob('/proc/*/cmdline')])",
    )
    expect(seen.status).toBe('ok')
    expect(seen.output).not.toContain(token)
  })

  test('writes nothing of a cell into the log of the engine', async () => {
    const server = serve()
    await using executor = new JupyterCodeExecutor({ server })
    // What a subprocess prints goes to the output of the container's own process as well.
    const shown = await run(executor, 'import subprocess', "subprocess.run(['echo', 'of a subprocess'])")
    expect(shown.output).toContain('of a subprocess')
    const container = engine.getContainer((await containersOf(process.pid))[0]?.Id ?? '')
    expect((await container.inspect()).HostConfig.LogConfig).toEqual({ Type: 'none', Config: {} })
    const logs = await container.logs({ stdout: true, stderr: true }).catch(String)
    expect(String(logs)).not.toContain('of a subprocess')
  })

  test('shares a directory whose files are the caller’s', { tags: 'nightly' }, async () => {
    const workDir = await mkdtemp(join(tmpdir(), 'fenced-bind-'))
    stack.push(() => rm(workDir, { recursive: true }))
    const server = serve({ workDir })
    await using executor = new JupyterCodeExecutor({ server })
    const made = await run(executor, "open('made.txt', 'w').write('x')", 'import os', 'print(os.getcwd())')
    expect(made).toMatchObject({ output: '/workspace\n', files: [{ path: 'made.txt' }] })
    // Root gives an empty directory to the programs' user.
    expect((await stat(join(workDir, 'made.txt'))).uid).toBe(process.getuid?.() || 65_534)
    const plot = await run(executor, 'import matplotlib.pyplot as plt', 'plt.plot([1, 2])', 'plt.show()')
    const picture = plot.files[0]?.absolutePath ?? ''
    expect(picture.startsWith(workDir)).toBe(true)
    expect((await readFile(picture)).subarray(1, 4).toString()).toBe('PNG')
    await using inside = new JupyterCodeExecutor({ server, workDir: join(workDir, 'sub') })
    expect((await run(inside, 'import os', 'print(os.getcwd())')).output).toBe('/workspace/sub\n')
  })

  test('gives each executor a kernel of its own, and outlives them', { tags: 'nightly' }, async () => {
    const server = serve()
    {
      await using one = new JupyterCodeExecutor({ server })
      await using two = new JupyterCodeExecutor({ server })
      await run(one, 'mine = 1')
      expect((await run(two, "print('mine' in globals())")).output).toBe('False\n')
    }
    await using three = new JupyterCodeExecutor({ server })
    expect((await run(three, 'print(3)')).output).toBe('3\n')
  })

  test('a cell that takes more memory than there is dies, and says so', async () => {
    await using executor = new JupyterCodeExecutor({ server: serve({ memoryBytes: 400 * 2 ** 20 }) })
    const result = await run(executor, "x = b'x' * 2_000_000_000")
    expect(result).toMatchObject({ status: 'died', exitCode: 255 })
    await executor.restart()
    expect((await run(executor, 'print(1)')).output).toBe('1\n')
  })

  test('stop() leaves no container, and connect() starts another', { tags: 'nightly' }, async () => {
    const server = serve()
    await server.connect()
    expect(await containersOf(process.pid)).toHaveLength(1)
    await server.stop()
    await server.stop()
    expect(await containersOf(process.pid)).toEqual([])
    await using executor = new JupyterCodeExecutor({ server })
    expect((await run(executor, 'print(1)')).output).toBe('1\n')
  })

  test('goes with a host that was killed', async () => {
    const program = join(import.meta.dirname, 'programs', 'serve-and-wait.ts')
    const host = spawn(process.execPath, ['--conditions=@fenced/source', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(host.stdout, 'data')
    expect(await containersOf(host.pid)).toHaveLength(1)
    host.kill('SIGKILL')
    await vi.waitUntil(async () => (await containersOf(host.pid)).length === 0, {
      timeout: 30_000,
      interval: 100,
    })
  })

  test.each<[what: string, options: DockerJupyterServerOptions, code: string, data: object]>([
    ['an image without Jupyter', { image: baseImage }, 'JUPYTER_NOT_INSTALLED', { image: baseImage }],
    [
      'an image without Python',
      { image: 'fenced-test/busybox' },
      'JUPYTER_NOT_INSTALLED',
      { image: 'fenced-test/busybox' },
    ],
    [
      'an image that is nowhere',
      { image: 'fenced-test/nowhere', pull: 'never' },
      'IMAGE_NOT_FOUND',
      { image: 'fenced-test/nowhere' },
    ],
    [
      'an engine that is nowhere',
      { docker: 'unix:///no/such/docker.sock' },
      'ENGINE_UNREACHABLE',
      { engine: 'unix:///no/such/docker.sock', fault: 'absent' },
    ],
  ])('%s is a clear error, and nothing is left', async (_, options, code, data) => {
    await expect(serve(options).connect()).rejects.toMatchObject({
      code,
      data,
    })
    expect(await containersOf(process.pid)).toEqual([])
  })

  test('another client finds it on the port of the options, and a taken port is an error', async () => {
    const { port } = await serve().connect()
    await expect(serve({ port }).connect()).rejects.toMatchObject({ code: 'PORT_TAKEN' })
    expect(await containersOf(process.pid)).toHaveLength(1)
  })
})
