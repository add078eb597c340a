// @module-tag all

import { connect } from 'node:net'
import { Duplex } from 'node:stream'
import {
  JupyterCodeExecutor,
  type JupyterExecutorOptions,
  type JupyterServer,
  LocalJupyterServer,
  type OpenConnection,
} from '@fenced/executor-jupyter'
import { afterAll, describe, expect, test } from 'vitest'
import { failure } from './faults/failure.ts'
import { jupyter, jupyterPython, run } from './support.ts'

describe.skipIf(jupyter.missing)('a server that is reached by a function', () => {
  const local = new LocalJupyterServer({ python: jupyterPython })
  afterAll(() => local.stop())

  /** An executor of a server whose `host` and `port` lead nowhere. */
  async function executorOver(
    open: (port: number) => OpenConnection,
    options: JupyterExecutorOptions = {},
  ): Promise<JupyterCodeExecutor> {
    const { port = 0, token } = await local.connect()
    const server: JupyterServer = {
      ...{ isolation: 'none', network: 'open', limits: local.limits },
      connect: async () => ({ host: '127.0.0.1', port: 1, token, open: open(port) }),
      kernelPath: () => undefined,
    }
    return new JupyterCodeExecutor({ server, ...options })
  }

  test('runs cells over a connection that is no socket', async () => {
    let opened = 0
    await using executor = await executorOver((port) => async () => {
      opened++
      const socket = connect(port, '127.0.0.1')
      return Duplex.from({ readable: socket, writable: socket })
    })
    expect((await run(executor, 'print(6 * 7)')).output).toBe('42\n')
    expect(opened).toBeGreaterThan(1)
  })

  test('is asked again when the connection is lost, and the answer is still found', async () => {
    const sockets: Duplex[] = []
    await using executor = await executorOver((port) => async () => {
      const socket = connect(port, '127.0.0.1')
      sockets.push(socket)
      return socket
    })
    const code = 'print("begun", flush=True)\nimport time\ntime.sleep(1)\nprint("done")'
    const execution = executor.execute([{ language: 'python', code }])
    let isCut = false
    for await (const { type } of execution) {
      if (type !== 'stdout' || isCut) continue
      isCut = true
      sockets.at(-1)?.destroy()
    }
    expect(await execution).toMatchObject({ status: 'ok', output: 'begun\ndone\n' })
  })

  test('that cannot be reached is an error in the words of the function', async () => {
    await using executor = await executorOver(() => async () => {
      throw new Error('the bridge is up')
    })
    const error = await failure(executor.start())
    expect(error).toMatchObject({ code: 'JUPYTER_UNREACHABLE', data: { reason: 'the bridge is up' } })
  })

  test('whose connection never comes is an error within the time of the start, and one that comes late is closed', {
    tags: 'nightly',
  }, async () => {
    const late: Duplex[] = []
    const open: OpenConnection = ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          const connection = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
          late.push(connection)
          resolve(connection)
        })
      })
    await using executor = await executorOver(() => open, { startTimeoutMs: 300 })
    const error = await failure(executor.start())
    expect(['JUPYTER_UNREACHABLE', 'KERNEL_START_TIMEOUT']).toContain(error.code)
    // The kernel that was asked for would be ended, so it is still waited for.
    const areClosed = () => late.length > 0 && late.every(({ destroyed }) => destroyed)
    await expect.poll(areClosed, { timeout: 50_000 }).toBe(true)
  })

  test('a signal that is aborted once the connection is open does not end it', async () => {
    const signals: AbortSignal[] = []
    await using executor = await executorOver((port) => async ({ signal }) => {
      signals.push(signal)
      const socket = connect(port, '127.0.0.1')
      signal.addEventListener('abort', () => socket.destroy())
      return socket
    })
    const controller = new AbortController()
    await executor.start({ signal: controller.signal })
    controller.abort()
    expect((await run(executor, 'print(1)')).output).toBe('1\n')
    expect(signals.some(({ aborted }) => aborted)).toBe(false)
  })
})
