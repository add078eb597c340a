// @module-tag all

import { setTimeout as sleep } from 'node:timers/promises'
import { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { failure } from './faults/failure.ts'
import { RemoteServer, serverArguments } from './faults/remote-server.ts'
import { TcpProxy } from './faults/tcp-proxy.ts'
import { jupyter, python, run } from './support.ts'

/** Jupyter Server interrupts a cell before it restarts the kernel: a cell that heard of it could end by itself first. */
const stubborn = python(
  'import signal, time',
  'signal.signal(signal.SIGINT, signal.SIG_IGN)',
  "print('early', flush=True)",
  'time.sleep(1000)',
)

describe.skipIf(jupyter.missing)('a kernel that somebody else', () => {
  let server: RemoteServer
  beforeAll(async () => {
    server = await RemoteServer.start({ args: serverArguments })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  /** The id of the only kernel, as soon as the server has ended those of other tests: an executor waits for that for 4 s. */
  async function kernelId(): Promise<string> {
    const [id] = await vi.waitFor(async () => {
      const ids = await server.kernelIds()
      expect(ids).toHaveLength(1)
      return ids
    }, 120_000)
    return String(id)
  }

  test('restarts while it is idle is dead to us, and no block runs in the empty one as if nothing were', {
    tags: 'nightly',
  }, async () => {
    await using executor = new JupyterCodeExecutor({ server: server.info })
    await run(executor, 'kept = 7')
    await server.call('POST', `kernels/${await kernelId()}/restart`)
    const result = await run(executor, "print('kept' in globals())")
    expect(result).toMatchObject({ status: 'died', exitCode: 255 })
    expect(result.output).toContain('Call restart()')
    expect(await failure(run(executor, 'print(1)'))).toMatchObject({ code: 'EXECUTOR_DIED' })
    await executor.restart()
    expect(await run(executor, 'print(1)')).toMatchObject({ status: 'ok', output: '1\n' })
  })

  // Twice: a server that connects to the new kernel may miss how it begins, and does so now and then.
  test('restarts while a cell runs gives `died` with what the cell had printed, each time', async () => {
    await using executor = new JupyterCodeExecutor({ server: server.info, timeoutMs: 60_000 })
    for (let round = 0; round < 2; round++) {
      await executor.restart()
      const id = await kernelId()
      const execution = executor.execute([stubborn])
      for await (const event of execution) {
        if (event.type === 'stdout') await server.call('POST', `kernels/${id}/restart`)
      }
      const result = await execution
      expect(result).toMatchObject({ status: 'died', exitCode: 255 })
      expect(result.output).toMatch(/^early\n/)
    }
  }, 300_000)

  test('restarts while a cell runs is dead to us, although nothing was heard of its new beginning', {
    tags: 'nightly',
  }, async () => {
    using proxy = await TcpProxy.start(server.info)
    await using executor = new JupyterCodeExecutor({ server: { ...server.info, port: proxy.port } })
    await executor.start()
    const id = await kernelId()
    const execution = executor.execute([stubborn])
    for await (const event of execution) {
      if (event.type !== 'stdout') continue
      proxy.freeze()
      await server.call('POST', `kernels/${id}/restart`)
      // The server itself may have missed it.
      await vi.waitFor(() => expect(proxy.swallowed).toContain('"starting"'), 15_000).catch(() => {})
      await sleep(500)
      proxy.goOn()
    }
    expect(await execution).toMatchObject({ status: 'died', output: expect.stringMatching(/^early\n/) })
  })

  test('removes while it is idle is an error or `died`, and the next one works', {
    tags: 'nightly',
  }, async () => {
    await using executor = new JupyterCodeExecutor({ server: server.info, keepAliveMs: 1_000 })
    await run(executor, 'kept = 7')
    await server.call('DELETE', `kernels/${await kernelId()}`)
    await expectGone(run(executor, 'print(kept)'))
    await executor.restart()
    expect(await run(executor, 'print(1)')).toMatchObject({ status: 'ok', output: '1\n' })
  })

  test('removes while a cell runs is an error or `died` that keeps what the cell had printed', async () => {
    await using executor = new JupyterCodeExecutor({ server: server.info, keepAliveMs: 1_000 })
    await executor.start()
    const id = await kernelId()
    const execution = executor.execute([
      python("print('early', flush=True)", 'import time', 'time.sleep(1000)'),
    ])
    const gone = expectGone(execution)
    for await (const event of quietly(execution)) {
      if (event.type === 'stdout') await server.call('DELETE', `kernels/${id}`)
    }
    expect((await gone).output).toMatch(/^early\n/)
  })
})

/** What is left of a call whose kernel is gone for good. */
async function expectGone(execution: PromiseLike<{ status: string; output: string }>) {
  try {
    const result = await execution
    expect(result.status).toBe('died')
    return result
  } catch (error) {
    expect(error).toMatchObject({ code: 'KERNEL_GONE', result: { status: 'died' } })
    return (error as { result: { output: string } }).result
  }
}

async function* quietly<Event>(execution: AsyncIterable<Event>): AsyncIterable<Event> {
  try {
    yield* execution
  } catch {}
}
