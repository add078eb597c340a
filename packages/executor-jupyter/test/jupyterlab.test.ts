// @module-tag all

import type { Notice } from '@fenced/core'
import { JupyterCodeExecutor, type JupyterLabExecutorOptions } from '@fenced/executor-jupyter/jupyterlab'
import type { Kernel, KernelManager } from '@jupyterlab/services'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { failure } from './faults/failure.ts'
import { RemoteServer } from './faults/remote-server.ts'
import { kernelManager, silenceConsole } from './kernel-manager.ts'
import { cancelledAtOutput, jupyter, python } from './support.ts'

const ignoresInterrupts = [
  'import time',
  'while True:',
  '    try:',
  '        print("begun", flush=True)',
  '        time.sleep(100)',
  '    except KeyboardInterrupt: pass',
]

describe.skipIf(jupyter.missing)('a connection of @jupyterlab/services', () => {
  let server: RemoteServer
  let manager: KernelManager
  silenceConsole()
  beforeAll(async () => {
    server = await RemoteServer.start({ args: ['--allow-root'] })
    manager = kernelManager(server.info)
  })
  afterAll(async () => {
    manager.dispose()
    await server[Symbol.asyncDispose]()
  })

  async function runningKernel(): Promise<Kernel.IKernelConnection> {
    const connection = await manager.startNew({ name: 'python3' })
    onTestFinished(() => connection.shutdown().catch(() => {}))
    return connection
  }

  async function output(executor: JupyterCodeExecutor, ...lines: string[]): Promise<string> {
    return (await executor.execute([python(...lines)])).output
  }

  test('to a running kernel is used without a change of the kernel, which remains', async () => {
    const connection = await runningKernel()
    const theirs = connection.requestExecute({ code: 'shared = 1' })
    await theirs.done
    const executor = new JupyterCodeExecutor({ server: { connection } })
    const notices: Notice[] = []
    await executor.start({ onNotice: (notice) => notices.push(notice) })
    expect(await output(executor, 'print(shared)')).toBe('1\n')
    const handlers = "print([name for name in get_ipython().kernel.control_handlers if 'fenced' in name])"
    expect(await output(executor, handlers)).toBe('[]\n')
    await executor.restart()
    expect(await output(executor, 'shared += 1; print(shared)')).toBe('2\n')
    await executor.stop()
    expect(connection.isDisposed).toBe(false)
    expect((await connection.requestExecute({ code: 'shared' }).done).content.status).toBe('ok')
    expect(notices).toEqual([])
  })

  test('to a running kernel: a cell that ignores interrupts restarts the kernel', {
    tags: 'nightly',
  }, async () => {
    const connection = await runningKernel()
    await using executor = new JupyterCodeExecutor({ server: { connection }, interruptGraceMs: 300 })
    await output(executor, 'lost = 1')
    const result = await cancelledAtOutput(executor, ...ignoresInterrupts)
    expect(result.status).toBe('cancelled')
    expect(result.blocks[0]?.notices.map(({ code }) => code)).toEqual(['state-lost', 'cancelled'])
    expect(await output(executor, "print('lost' in globals())")).toBe('False\n')
  })

  test('of a function is to a kernel of the executor, which ends with it', async () => {
    let connection: Kernel.IKernelConnection | undefined
    const start = async () => {
      connection = await manager.startNew({ name: 'python3' })
      return connection
    }
    const executor = new JupyterCodeExecutor({ server: { connection: start } })
    expect(await output(executor, '1 + 1')).toContain('2')
    const id = connection?.id ?? ''
    expect(await manager.findById(id)).toBeDefined()
    await executor.stop()
    expect(connection?.isDisposed).toBe(true)
    await manager.refreshRunning()
    expect([...manager.running()].map((kernel) => kernel.id)).not.toContain(id)
  })

  test('of a function: a kernel that dies is reported, and restart() makes another one', async () => {
    const start = () => manager.startNew({ name: 'python3' })
    await using executor = new JupyterCodeExecutor({ server: { connection: start } })
    expect(await executor.execute([python('import os; os._exit(3)')])).toMatchObject({ status: 'died' })
    await executor.restart()
    expect(await output(executor, 'print(1)')).toBe('1\n')
  })

  test('that is closed is an error, and not an endless start', async () => {
    const closed = await runningKernel()
    closed.dispose()
    const executor = new JupyterCodeExecutor({ server: { connection: closed } })
    expect(await failure(executor.start())).toMatchObject({
      code: 'JUPYTER_UNREACHABLE',
      data: { kernel: closed.id, option: 'server.connection' },
    })
  })

  test('that closes while a cell runs is an error of the block', async () => {
    const connection = await runningKernel()
    await using executor = new JupyterCodeExecutor({ server: { connection } })
    await executor.start()
    const execution = executor.execute([
      python('print("begun", flush=True)', 'import time', 'time.sleep(1000)'),
    ])
    const reading = async () => {
      for await (const { type } of execution) if (type === 'stdout') connection.dispose()
    }
    expect((await failure(reading())).code).toBe('JUPYTER_UNREACHABLE')
    expect((await failure(execution)).code).toBe('JUPYTER_UNREACHABLE')
  })

  test('that comes after the start was cancelled is ended', async () => {
    const cancel = new AbortController()
    const come = Promise.withResolvers<void>()
    const connection = await runningKernel()
    const start = async () => {
      cancel.abort()
      await come.promise
      return connection
    }
    const executor = new JupyterCodeExecutor({ server: { connection: start } })
    await expect(executor.start({ signal: cancel.signal })).rejects.toMatchObject({ name: 'AbortError' })
    come.resolve()
    await vi.waitUntil(() => connection.isDisposed, { timeout: 60_000 })
    await manager.refreshRunning()
    expect([...manager.running()].map((kernel) => kernel.id)).not.toContain(connection.id)
  })
})

test.for<[string, object]>([
  ['isolation', { server: { connection: async () => {} }, isolation: 'bubblewrap' }],
  ['memoryBytes', { server: { connection: async () => {} }, memoryBytes: 2 ** 30 }],
  ['something else', { server: { connection: 'kernel' } }],
  ['no server', {}],
])('refuses options that it cannot hold: %s', ([, options]) => {
  expect(() => new JupyterCodeExecutor(options as JupyterLabExecutorOptions)).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS' }),
  )
})
