// @module-tag all

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadExecutor } from '@fenced/core'
import { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { DockerJupyterServer, type DockerJupyterServerOptions } from '@fenced/executor-jupyter/docker'
import '@fenced/executor-jupyter/register'
import Docker from 'dockerode'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { pythonImage as baseImage, docker } from './docker.ts'
import { failure } from './faults/failure.ts'
import { longGrace, run } from './support.ts'

/** Building our image downloads what it is made of; once built it is found again. */
const buildTimeout = 600_000

describe.skipIf(docker.missing)('a server in a container whose options allow no network', () => {
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
    const server = new DockerJupyterServer({ baseImage, ...options })
    stack.push(() => server.stop())
    return server
  }

  async function containersOf(processId: number | undefined) {
    const label = [`fenced.owner.process-id=${processId}`]
    return (await engine.listContainers({ all: true, filters: { label } })).map(({ Id }) => Id)
  }

  test.for([undefined, 'none'] as const)(
    'runs cells that reach nothing, and says so: %s',
    async (network) => {
      const server = serve({ network, memoryBytes: 2 ** 30 })
      await using executor = new JupyterCodeExecutor({ server })
      const result = await run(
        executor,
        'import os, socket',
        "print(os.getcwd(), os.listdir('/sys/class/net'))",
        'try:',
        "    socket.create_connection(('1.1.1.1', 53), 2)",
        'except OSError as error:',
        '    print(error)',
      )
      expect(result.output).toBe("/workspace ['lo']\n[Errno 101] Network is unreachable\n")
      expect(result.isolation).toEqual({
        kind: 'container',
        network: 'none',
        particulars: { memoryBytes: 2 ** 30, cpus: 1, pids: 512 },
      })
      const [id = ''] = await containersOf(process.pid)
      const { HostConfig } = await engine.getContainer(id).inspect()
      expect(HostConfig).toMatchObject({ NetworkMode: 'none', PortBindings: {} })
    },
  )

  test('shares a directory whose files are the caller’s, and brings pictures back', {
    tags: 'nightly',
  }, async () => {
    const workDir = await mkdtemp(join(tmpdir(), 'fenced-bind-'))
    stack.push(() => rm(workDir, { recursive: true }))
    await using executor = new JupyterCodeExecutor({ server: serve({ workDir }) })
    const made = await run(executor, "open('made.txt', 'w').write('x')", 'import os', 'print(os.getcwd())')
    expect(made).toMatchObject({ output: '/workspace\n', files: [{ path: 'made.txt' }] })
    // Root gives an empty directory to the programs' user.
    expect((await stat(join(workDir, 'made.txt'))).uid).toBe(process.getuid?.() || 65_534)
    const plot = await run(executor, 'import matplotlib.pyplot as plt', 'plt.plot([1, 2])', 'plt.show()')
    expect((await readFile(plot.files[0]?.absolutePath ?? '')).subarray(1, 4).toString()).toBe('PNG')
  })

  test('answers other clients of this machine on its port, with its token', { tags: 'nightly' }, async () => {
    const { port = 0 } = await serve({ token: 'of the options' }).connect()
    const status = async (token: string) =>
      (await fetch(`http://127.0.0.1:${port}/api/kernels`, { headers: { authorization: `token ${token}` } }))
        .status
    expect([await status('of the options'), await status('another')]).toEqual([200, 403])
    await expect(serve({ port }).connect()).rejects.toMatchObject({ code: 'PORT_TAKEN' })
  })

  test('a cell that takes too long is interrupted, and one that takes all memory dies', {
    tags: 'nightly',
  }, async () => {
    await using executor = new JupyterCodeExecutor({
      ...longGrace,
      server: serve({ memoryBytes: 400 * 2 ** 20 }),
    })
    await run(executor, 'kept = 1')
    const code = 'import time\ntime.sleep(1000)'
    const late = await executor.execute([{ language: 'python', code }], { timeoutMs: 2_000 })
    expect(late.status).toBe('timeout')
    expect((await run(executor, 'print(kept)')).output).toBe('1\n')
    expect(await run(executor, "x = b'x' * 2_000_000_000")).toMatchObject({ status: 'died', exitCode: 255 })
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

  test('whose container was removed is there again after restart()', { tags: 'nightly' }, async () => {
    const server = serve()
    await using executor = new JupyterCodeExecutor({ server, reconnectTimeoutMs: 500 })
    await executor.start()
    const running = failure(run(executor, 'import time', 'time.sleep(1000)'))
    const [id = ''] = await containersOf(process.pid)
    await engine.getContainer(id).remove({ force: true })
    expect(['JUPYTER_UNREACHABLE', 'KERNEL_GONE']).toContain((await running).code)
    await executor.restart()
    expect((await run(executor, 'print(1)')).output).toBe('1\n')
  })

  describe.concurrent('in the long run', { tags: 'nightly' }, () => {
    test('goes with a host that was killed', { timeout: 120_000 }, async () => {
      const program = join(import.meta.dirname, 'programs', 'serve-and-wait.ts')
      const host = spawn(process.execPath, ['--conditions=@fenced/source', program, 'unconnected'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(host.stdout, 'data')
      expect(await containersOf(host.pid)).toHaveLength(1)
      host.kill('SIGKILL')
      await vi.waitUntil(async () => (await containersOf(host.pid)).length === 0, {
        timeout: 90_000,
        interval: 500,
      })
    })

    test('stays while nobody uses it', { timeout: 120_000 }, async () => {
      await using server = new DockerJupyterServer({ baseImage })
      await using executor = new JupyterCodeExecutor({ server })
      await run(executor, 'kept = 1')
      await sleep(45_000)
      expect((await run(executor, 'print(kept)')).output).toBe('1\n')
    })
  })

  test('comes out of a config, and stops with its executor', { tags: 'nightly' }, async () => {
    const written = new JupyterCodeExecutor({ server: serve() }).toConfig()
    const executor = loadExecutor(JSON.parse(JSON.stringify(written)))
    expect(executor.capabilities.network).toBe('none')
    const { output } = await executor.execute([{ language: 'python', code: 'print(1)' }])
    expect(output).toBe('1\n')
    await executor.stop()
    expect(await containersOf(process.pid)).toEqual([])
  })

  test('an image without Jupyter, or without Python, is a clear error, and nothing is left', {
    tags: 'nightly',
  }, async () => {
    for (const image of [baseImage, 'fenced-test/busybox']) {
      const error = await failure(serve({ image }).connect())
      expect(error).toMatchObject({ code: 'JUPYTER_NOT_INSTALLED', data: { image } })
    }
    expect(await containersOf(process.pid)).toEqual([])
  })

  const remote = process.env.FENCED_TEST_REMOTE
  test.skipIf(remote === undefined)(
    'an engine on another machine will do',
    { tags: 'nightly', timeout: buildTimeout },
    async () => {
      const certificates = process.env.FENCED_TEST_REMOTE_CERTS ?? ''
      const tls = Object.fromEntries(
        ['ca', 'cert', 'key'].map((name) => [`${name}File`, join(certificates, `${name}.pem`)]),
      )
      const connection = { host: remote ?? '', tls }
      await using executor = new JupyterCodeExecutor({ server: serve({ docker: connection }) })
      expect((await run(executor, 'print(6 * 7)')).output).toBe('42\n')
    },
  )
})
