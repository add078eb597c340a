// @module-tag all

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadExecutor } from '@fenced/core'
import { JupyterCodeExecutor, LocalJupyterServer } from '@fenced/executor-jupyter'
import { processesLeft, temporaryEntries, uniqueSeconds } from '@fenced/testing'
import '@fenced/executor-jupyter/register'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { findFreePort } from '../src/server/free-port.ts'
import { failure } from './faults/failure.ts'
import { startProgram } from './faults/host-program.ts'
import { processesWith, stillThere } from './faults/processes.ts'
import { jupyter, jupyterPython, python, run } from './support.ts'

/** A folder for everything that a server makes: it is a temporary one to it, until the test ends. */
function ownTemporaryFolder(): string {
  const { folder, remove } = makeTemporaryFolder()
  onTestFinished(remove)
  return folder
}

/** One for all tests of a `describe`. */
function temporaryForAll(): { readonly folder: string } {
  let made: ReturnType<typeof makeTemporaryFolder>
  beforeAll(() => {
    made = makeTemporaryFolder()
  })
  afterAll(() => made.remove())
  return {
    get folder() {
      return made.folder
    },
  }
}

function makeTemporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'fenced-test-'))
  const before = process.env.TMPDIR
  process.env.TMPDIR = folder
  const remove = () => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    rmSync(folder, { recursive: true, force: true })
  }
  return { folder, remove }
}

describe.skipIf(jupyter.missing)('a server of our own that runs', () => {
  const temporary = temporaryForAll()
  const token = `token-${uniqueSeconds()}`
  let server: LocalJupyterServer
  let port: number
  let loaded: string
  beforeAll(async () => {
    port = await findFreePort('127.0.0.1')
    const modules = mkdtempSync(join(tmpdir(), 'modules-'))
    loaded = join(modules, 'loaded')
    mkdirSync(join(modules, 'rfc3987_syntax'))
    writeFileSync(
      join(modules, 'rfc3987_syntax/__init__.py'),
      `open(${JSON.stringify(loaded)}, 'w').close()\ndef is_valid_syntax(*_): return True\n`,
    )
    server = new LocalJupyterServer({ python: jupyterPython, token, port, env: { PYTHONPATH: modules } })
    await server.connect()
  })
  afterAll(() => server.stop())

  test('has not loaded what takes seconds to load and no server needs', () => {
    expect(existsSync(loaded)).toBe(false)
  })

  test('keeps its token out of command lines, of the environment of kernels, and of files that others can read', async () => {
    await using executor = new JupyterCodeExecutor({ server })
    const environment = await run(executor, 'import os', 'print(dict(os.environ))')
    expect(environment.status).toBe('ok')
    expect(environment.output).not.toContain(token)
    expect(processesWith('cmdline', token)).toEqual([])
    expect(processesWith('environ', token)).toEqual([])
    for (const name of readdirSync(temporary.folder))
      expect(statSync(join(temporary.folder, name)).mode & 0o077).toBe(0)
  })

  test('shows its token to no kernel: not in its environment, and in no file', async () => {
    await using executor = new JupyterCodeExecutor({ server })
    const { output } = await run(
      executor,
      'import glob, os',
      'from ipykernel.connect import get_connection_file',
      'folder = os.path.dirname(get_connection_file())',
      "print(sorted({name.split('-')[0] for name in os.listdir(folder)}))",
      "print([name for name in glob.glob(folder + '/**', recursive=True) if os.path.isfile(name) and 'token-' in open(name, errors='replace').read()])",
      "print([name for name, value in os.environ.items() if 'token-' in value or name == 'JUPYTER_RUNTIME_DIR'])",
      "print('token-' in open('/proc/%d/cmdline' % os.getppid()).read() + open('/proc/%d/environ' % os.getppid()).read())",
    )
    expect(output).toBe("['kernel']\n[]\n[]\nFalse\n")
  })

  test('listens on a given port, and one that is taken is an error', async () => {
    expect(await server.connect()).toMatchObject({ host: '127.0.0.1', port })
    await using second = new LocalJupyterServer({ python: jupyterPython, port })
    const error = await failure(second.connect())
    expect(error).toMatchObject({
      code: 'PORT_TAKEN',
      data: { host: '127.0.0.1', port: String(port), reason: 'EADDRINUSE', option: 'port' },
    })
  })

  test('gives each executor a kernel of its own', async () => {
    const executors = [1, 2, 3].map(() => new JupyterCodeExecutor({ server }))
    onTestFinished(async () => {
      await Promise.all(executors.map((executor) => executor.stop()))
    })
    await Promise.all(executors.map((executor, number) => run(executor, `mine = ${number}`)))
    const results = await Promise.all(executors.map((executor) => run(executor, 'print(mine)')))
    expect(results.map(({ output }) => output)).toEqual(['0\n', '1\n', '2\n'])
    await executors[0]?.stop()
    expect(await run(executors[1] as JupyterCodeExecutor, 'print(mine)')).toMatchObject({ output: '1\n' })
  })
})

describe.skipIf(jupyter.missing)('a server of our own to which nothing is given', () => {
  const one = new LocalJupyterServer({ python: jupyterPython })
  const other = new LocalJupyterServer({ python: jupyterPython })
  const temporary = temporaryForAll()
  afterAll(() => Promise.all([one.stop(), other.stop()]))

  test('is started once by ten who need it at the same time', { tags: 'nightly' }, async () => {
    const infos = await Promise.all(Array.from({ length: 10 }, () => one.connect()))
    expect(new Set(infos.map(({ port }) => port)).size).toBe(1)
    const folders = temporaryEntries(temporary.folder).filter((name) => !name.endsWith('.owner'))
    expect(folders).toHaveLength(1)
  })

  test('takes another port when the one that was free is taken by the time it starts', {
    tags: 'nightly',
  }, async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as AddressInfo
    // The first port that it finds free.
    const found = vi
      .spyOn(Server.prototype, 'address')
      .mockReturnValueOnce({ address: '127.0.0.1', family: 'IPv4', port })
    onTestFinished(() => found.mockRestore())
    expect((await other.connect()).port).not.toBe(port)
    expect(found.mock.results[0]?.value).toMatchObject({ port })
  })

  test('makes a token of its own, 64 random digits', async () => {
    const tokens = await Promise.all([one, other].map(async (server) => (await server.connect()).token))
    for (const token of tokens) expect(token).toMatch(/^[0-9a-f]{64}$/)
    expect(tokens[0]).not.toBe(tokens[1])
  })
})

describe.skipIf(jupyter.missing)('a server of our own', () => {
  test('that is made of a config runs code, and ends with its executor', { tags: 'nightly' }, async () => {
    const token = `secret-${uniqueSeconds()}`
    const written = new JupyterCodeExecutor({
      server: new LocalJupyterServer({ python: jupyterPython, token }),
    })
    const overrides = { 'server.token': token }
    const executor = loadExecutor(JSON.parse(JSON.stringify(written.toConfig())), { overrides })
    const { output } = await executor.execute([python('import os', 'print(os.getppid())')])
    const server = Number(output)
    expect(process.kill(server, 0)).toBe(true)
    await executor.stop()
    expect(await stillThere([server])).toEqual([])
  })

  test('of a Python without Jupyter is one error with the one command that installs it there', async () => {
    const folder = ownTemporaryFolder()
    execFileSync('python3', ['-m', 'venv', '--without-pip', join(folder, 'bare')])
    await using server = new LocalJupyterServer({ python: join(folder, 'bare') })
    const error = await failure(server.connect())
    const bare = join(folder, 'bare/bin/python')
    expect(error).toMatchObject({
      code: 'JUPYTER_NOT_INSTALLED',
      data: { python: bare, command: `"${bare}" -m pip install jupyter-server ipykernel` },
    })
    expect(temporaryEntries(folder)).toEqual(['bare'])
  })

  test('of a Python that does not exist is an error that names it', async () => {
    await using server = new LocalJupyterServer({ python: '/no/such/python' })
    const error = await failure(server.connect())
    expect(error).toMatchObject({ code: 'PYTHON_NOT_FOUND', data: { program: '/no/such/python' } })
  })

  test('ends with its kernels and all that they started, removes its folder, and can be started again', async () => {
    const folder = ownTemporaryFolder()
    const seconds = uniqueSeconds()
    const server = new LocalJupyterServer({ python: jupyterPython })
    const executor = new JupyterCodeExecutor({ server })
    const { output } = await run(
      executor,
      'import os, subprocess',
      `subprocess.Popen(['sleep', '${seconds}'], start_new_session=True)`,
      `subprocess.Popen(['sleep', '${seconds}'])`,
      'print(os.getpid(), os.getppid())',
    )
    await Promise.all([server.stop(), server.stop()])
    await server.stop()
    expect(await processesLeft(`${seconds}`)).toEqual([])
    expect(await stillThere(output.trim().split(' ').map(Number))).toEqual([])
    await executor.stop()
    expect(temporaryEntries(folder)).toEqual([])
    await using _server = server
    await executor.start()
    expect(await run(executor, 'print(1)')).toMatchObject({ status: 'ok', output: '1\n' })
    await executor.stop()
  })

  test('ends within seconds when this process is killed, and its kernels with it', async () => {
    const host = startProgram('start-and-wait.ts', 'server')
    await once(host.child.stdout ?? host.child, 'data')
    const ids = host.written.stdout.trim().split(' ').map(Number)
    expect(ids).toHaveLength(2)
    host.child.kill('SIGKILL')
    expect(await stillThere(ids)).toEqual([])
  })

  test('that is killed is an error in bounded time, and after restart() there is a new one', async () => {
    await using server = new LocalJupyterServer({ python: jupyterPython })
    await using executor = new JupyterCodeExecutor({ server, reconnectTimeoutMs: 1_000 })
    const serverId = Number((await run(executor, 'import os', 'print(os.getppid())')).output)
    const execution = executor.execute([python('import time', 'time.sleep(1000)')])
    process.kill(serverId, 'SIGKILL')
    const error = await failure(execution)
    expect(['JUPYTER_UNREACHABLE', 'KERNEL_GONE']).toContain(error.code)
    expect(await failure(run(executor, 'print(1)'))).toMatchObject({ code: 'EXECUTOR_DIED' })
    await executor.restart()
    expect(await run(executor, 'print(1)')).toMatchObject({ status: 'ok', output: '1\n' })
  })

  test('whose start the first one cancels comes up for the others all the same', {
    tags: 'nightly',
  }, async () => {
    await using server = new LocalJupyterServer({ python: jupyterPython })
    const controller = new AbortController()
    const first = server.connect({ signal: controller.signal })
    const second = server.connect()
    await sleep(200)
    controller.abort(new Error('changed my mind'))
    await expect(first).rejects.toThrow('changed my mind')
    expect(await second).toMatchObject({ host: '127.0.0.1' })
  })

  test.for([0, 30, 90, 180])(
    'whose start is cancelled after %i ms leaves no process and no folder',
    async (delayMs) => {
      const folder = ownTemporaryFolder()
      await using server = new LocalJupyterServer({ python: jupyterPython })
      const signal = AbortSignal.timeout(delayMs)
      await expect(server.connect({ signal })).rejects.toHaveProperty('name', 'TimeoutError')
      expect(temporaryEntries(folder)).toEqual([])
      expect(processesWith('environ', folder)).toEqual([])
    },
  )

  test('that is stopped while it starts leaves nothing, and tells who waits', async () => {
    const folder = ownTemporaryFolder()
    const server = new LocalJupyterServer({ python: jupyterPython })
    const waiting = failure(server.connect())
    await sleep(150)
    await server.stop()
    expect(await waiting).toMatchObject({ code: 'JUPYTER_STOPPED' })
    expect(temporaryEntries(folder)).toEqual([])
    expect(processesWith('environ', folder)).toEqual([])
  })

  test('that does not answer in time is an error that names `startTimeoutMs`', async () => {
    const folder = ownTemporaryFolder()
    await using server = new LocalJupyterServer({ python: jupyterPython, startTimeoutMs: 100 })
    const error = await failure(server.connect())
    expect(error).toMatchObject({
      code: 'JUPYTER_START_FAILED',
      data: { limitMs: '100', option: 'startTimeoutMs' },
    })
    expect(temporaryEntries(folder)).toEqual([])
  })

  test('that ends by itself is an error with its last words', async () => {
    const folder = ownTemporaryFolder()
    mkdirSync(join(folder, 'broken/jupyter_server'), { recursive: true })
    writeFileSync(join(folder, 'broken/jupyter_server/__init__.py'), "raise ImportError('half installed')")
    const env = { PYTHONPATH: join(folder, 'broken') }
    await using server = new LocalJupyterServer({ python: jupyterPython, env })
    const error = await failure(server.connect())
    expect(error).toMatchObject({
      code: 'JUPYTER_START_FAILED',
      data: { output: expect.stringContaining('ImportError: half installed') },
    })
    expect(error.data).not.toHaveProperty('limitMs')
    expect(temporaryEntries(folder)).toEqual(['broken'])
  })
})
