// @module-tag all

import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sandbox, SandboxProcess } from '@fenced/core/sandbox'
import { JupyterCodeExecutor, SandboxJupyterServer } from '@fenced/executor-jupyter'
import { DockerSandbox } from '@fenced/sandbox-docker'
import { LocalSandbox } from '@fenced/sandbox-local'
import { rowTags } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { bubblewrap, inBubblewrap } from './bubblewrap.ts'
import { docker, pythonImage } from './docker.ts'
import { failure } from './faults/failure.ts'
import { startProgram } from './faults/host-program.ts'
import { processesWith, stillThere } from './faults/processes.ts'
import { jupyterImage, type SandboxKind, sandboxKinds } from './servers.ts'
import { jupyter, jupyterPython, longGrace, run } from './support.ts'

/** Building our image downloads what it is made of; once built it is found again. */
const buildTimeout = 600_000

const rows = rowTags({
  nightly: [
    'in a container',
    { in: 'in bubblewrap', except: ['shows its token'] },
    'begins where',
    'interrupts',
    'notices',
    'takes a message',
    'that is killed',
    'stop() leaves',
    'goes with its sandbox',
  ],
})

for (const kind of sandboxKinds)
  describe.skipIf(kind.isMissing)(`a server in ${kind.name}`, rows, () => describeServer(kind))

function describeServer({ name, create }: SandboxKind): void {
  let sandbox: Sandbox
  let server: SandboxJupyterServer
  let directory: string
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'fenced-test-'))
    sandbox = await create({ workDir: directory })
    server = new SandboxJupyterServer({ sandbox })
  }, buildTimeout)
  afterAll(async () => {
    await server.stop()
    await sandbox.stop()
    rmSync(directory, { recursive: true })
  })

  test('runs cells in the working directory, and says in every result what stood around them', async () => {
    await using executor = new JupyterCodeExecutor({ server })
    const result = await run(executor, 'import os', 'print(os.getcwd())')
    expect(result).toMatchObject({ status: 'ok', output: `${sandbox.directory}\n` })
    const { isolation, network, limits } = sandbox.capabilities
    expect(result.isolation).toMatchObject({ kind: isolation, network })
    expect(executor.capabilities.limits).toEqual(limits)
  })

  test('begins where the executor has its files, and brings pictures back', async () => {
    const workDir = join(directory, 'sub')
    await using executor = new JupyterCodeExecutor({ server, workDir })
    const made = await run(executor, "open('made.txt', 'w').write('x')")
    expect(made.files).toMatchObject([{ path: 'made.txt' }])
    const plot = await run(executor, 'import matplotlib.pyplot as plt', 'plt.plot([1, 2])', 'plt.show()')
    const picture = plot.files[0]?.absolutePath ?? ''
    expect(picture.startsWith(workDir)).toBe(true)
    expect(readFileSync(picture).subarray(1, 4).toString()).toBe('PNG')
  })

  test('interrupts a cell that takes too long, and keeps variables', async () => {
    await using executor = new JupyterCodeExecutor({ ...longGrace, server })
    await run(executor, 'kept = 1')
    const block = { language: 'python', code: 'import time\ntime.sleep(1000)' }
    const late = await executor.execute([block], { timeoutMs: 1_000 })
    expect(late.status).toBe('timeout')
    expect((await run(executor, 'print(kept)')).output).toBe('1\n')
  })

  test('notices that a kernel was killed, and goes on with a new one', async () => {
    await using executor = new JupyterCodeExecutor({ server })
    const result = await run(executor, 'import os, signal', 'os.kill(os.getpid(), signal.SIGKILL)')
    expect(result).toMatchObject({ status: 'died', exitCode: 255 })
    await executor.restart()
    expect((await run(executor, 'print(1)')).output).toBe('1\n')
  })

  test('takes a message of megabytes, and a flood of lines', async () => {
    await using executor = new JupyterCodeExecutor({ server, maxOutputBytes: 2 ** 25 })
    const result = await run(executor, "print('x' * 5_000_000)", 'for n in range(20_000): print(n)')
    expect(result.status).toBe('ok')
    expect(result.output.length).toBe(5_000_001 + 108_890)
    expect(result.output.endsWith('\n19999\n')).toBe(true)
  })

  test('shows its token on no command line and in no environment', async () => {
    const { token = '' } = await server.connect()
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    await using executor = new JupyterCodeExecutor({ server })
    const seen = await run(
      executor,
      'import os, glob',
      "names = glob.glob('/proc/*/cmdline') + glob.glob('/proc/*/environ')",
      'def read(name):',
      '    try: return open(name, errors="replace").read()',
      '    except OSError: return ""',
      `print(len(names) > 2, any('${token.slice(0, 32)}' + '${token.slice(32)}' in read(name) for name in names))`,
    )
    expect(seen.output).toBe('True False\n')
    expect(processesWith('cmdline', token)).toEqual([])
    expect(processesWith('environ', token)).toEqual([])
  })

  test('that is killed is an error in bounded time, and after restart() there is a new one', async () => {
    await using executor = new JupyterCodeExecutor({ server, reconnectTimeoutMs: 1_000 })
    const killed = run(
      executor,
      'import os, signal, time',
      'os.kill(os.getppid(), signal.SIGKILL)',
      'time.sleep(1000)',
    )
    expect(['JUPYTER_UNREACHABLE', 'KERNEL_GONE']).toContain((await failure(killed)).code)
    await executor.restart()
    expect(await run(executor, 'print(1)')).toMatchObject({ status: 'ok', output: '1\n' })
  })

  test('stop() leaves the sandbox and nothing of the server, and connect() starts another', async () => {
    await sandbox.start()
    const other = await sandbox.spawn(['cat'], { stdin: 'open' })
    onTestFinished(() => void other.kill())
    const folders = async () => await output(await sandbox.spawn(['sh', '-c', 'ls -d /tmp/fenced-jupyter-*']))
    const before = await folders()
    const own = new SandboxJupyterServer({ sandbox })
    await own.connect()
    await own.stop()
    await own.stop()
    if (name === 'a container without a network') expect(await folders()).toBe(before)
    other.stdin?.end('lives')
    expect(await output(other)).toBe('lives')
    const executor = new JupyterCodeExecutor({ server: own })
    expect((await run(executor, 'print(1)')).output).toBe('1\n')
    await executor.stop()
    await own.stop()
  })

  test('goes with its sandbox, and comes with a new one', async () => {
    const other = await create()
    const own = new SandboxJupyterServer({ sandbox: other })
    onTestFinished(async () => {
      await own.stop()
      await other.stop()
    })
    await using executor = new JupyterCodeExecutor({ server: own, reconnectTimeoutMs: 500 })
    await executor.start()
    const running = failure(run(executor, 'import time', 'time.sleep(1000)'))
    await other.stop()
    expect(['JUPYTER_UNREACHABLE', 'KERNEL_GONE']).toContain((await running).code)
    await executor.restart()
    expect((await run(executor, 'print(1)')).output).toBe('1\n')
  })
}

describe.skipIf(docker.missing)('a server in a container without a network', () => {
  test('has kernels that reach nothing', async () => {
    await using sandbox = new DockerSandbox({ image: await jupyterImage(), pull: 'never' })
    await using server = new SandboxJupyterServer({ sandbox })
    await using executor = new JupyterCodeExecutor({ server })
    const { output } = await run(
      executor,
      'import os, socket',
      "print(sorted(os.listdir('/sys/class/net')))",
      'try:',
      "    socket.create_connection(('1.1.1.1', 53), 2)",
      'except OSError as error:',
      '    print(error)',
    )
    expect(output).toBe("['lo']\n[Errno 101] Network is unreachable\n")
    expect(server.network).toBe('none')
  })

  test('ends with a program that forgot it', { tags: 'nightly' }, async () => {
    const python = await jupyterImage()
    const { written, exited } = startProgram('forget.ts', 'container', { python })
    expect(await exited).toEqual([0, null])
    expect(written).toEqual({ stdout: '42\n', stderr: '' })
  })

  test('of an image without Jupyter, or without Python, is a clear error', { tags: 'nightly' }, async () => {
    await using bare = new DockerSandbox({ image: pythonImage, pull: 'never' })
    expect(await failure(new SandboxJupyterServer({ sandbox: bare }).connect())).toMatchObject({
      code: 'JUPYTER_NOT_INSTALLED',
      data: { command: expect.stringMatching(/python3" -m pip install jupyter-server ipykernel$/) },
    })
    await using without = new DockerSandbox({ image: 'fenced-test/busybox', pull: 'never' })
    expect(await failure(new SandboxJupyterServer({ sandbox: without }).connect())).toMatchObject({
      code: 'PYTHON_NOT_FOUND',
      data: { program: 'python3, python' },
    })
    const python = '/no/such/python'
    expect(await failure(new SandboxJupyterServer({ sandbox: without, python }).connect())).toMatchObject({
      code: 'PYTHON_NOT_FOUND',
      data: { program: python },
    })
  })
})

describe.skipIf(jupyter.missing)('a server in a sandbox on this machine', () => {
  test('ends with a program that forgot it', { tags: 'nightly' }, async () => {
    const { written, exited } = startProgram('forget.ts', 'sandbox')
    expect(await exited).toEqual([0, null])
    expect(written).toEqual({ stdout: '42\n', stderr: '' })
  })

  test('ends within seconds when this process is killed, and its kernels with it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fenced-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const host = startProgram('start-and-wait.ts', 'sandbox', { folder })
    await once(host.child.stdout ?? host.child, 'data')
    const ids = host.written.stdout.trim().split(' ').map(Number)
    expect(ids).toHaveLength(2)
    const ofServers = () => readdirSync(folder).filter((name) => name.startsWith('fenced-jupyter-'))
    expect(ofServers()).toHaveLength(1)
    host.child.kill('SIGKILL')
    expect(await stillThere(ids)).toEqual([])
    await expect.poll(ofServers, { timeout: 20_000 }).toEqual([])
  })

  test('that does not answer in time is an error that names `startTimeoutMs`, and leaves no process', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fenced-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    await using sandbox = new LocalSandbox({ python: jupyterPython, env: { MARK: folder } })
    await using server = new SandboxJupyterServer({ sandbox, startTimeoutMs: 100 })
    const error = await failure(server.connect())
    expect(error).toMatchObject({
      code: 'JUPYTER_START_FAILED',
      data: { limitMs: '100', option: 'startTimeoutMs' },
    })
    expect(processesWith('environ', folder)).toEqual([])
  })

  test('that ends by itself is an error with its last words', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fenced-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    mkdirSync(join(folder, 'jupyter_server'))
    writeFileSync(join(folder, 'jupyter_server/__init__.py'), "raise ImportError('half installed')")
    await using sandbox = new LocalSandbox({ python: jupyterPython, env: { PYTHONPATH: folder } })
    const error = await failure(new SandboxJupyterServer({ sandbox }).connect())
    expect(error).toMatchObject({
      code: 'JUPYTER_START_FAILED',
      data: { output: expect.stringContaining('ImportError: half installed') },
    })
    expect(error.data).not.toHaveProperty('limitMs')
  })

  test('whose start is cancelled leaves no process', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fenced-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    // Python imports this first: on a fast machine the server would be there before the last of the times below.
    writeFileSync(join(folder, 'sitecustomize.py'), 'import time; time.sleep(2)')
    await using sandbox = new LocalSandbox({ python: jupyterPython, env: { PYTHONPATH: folder } })
    await using server = new SandboxJupyterServer({ sandbox })
    for (const delayMs of [0, 30, 150, 400]) {
      const signal = AbortSignal.timeout(delayMs)
      await expect(server.connect({ signal })).rejects.toHaveProperty('name', 'TimeoutError')
      expect(processesWith('environ', folder)).toEqual([])
    }
  })
})

test.skipIf(bubblewrap.missing)('a sandbox whose ports cannot be reached is refused', async () => {
  await using sandbox = inBubblewrap({ network: 'none' })
  const refused = expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: 'sandbox' } })
  expect(() => new SandboxJupyterServer({ sandbox })).toThrow(refused)
  expect(() => new SandboxJupyterServer({ sandbox: {} as Sandbox })).toThrow(refused)
})

async function output({ stdout }: SandboxProcess): Promise<string> {
  return Buffer.concat(await stdout.toArray()).toString()
}
