// @module-tag nightly

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { JupyterCodeExecutor, type JupyterExecutorOptions } from '@fenced/executor-jupyter'
import { Random } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { failure } from './faults/failure.ts'
import { RemoteServer, serverArguments } from './faults/remote-server.ts'
import { TcpProxy } from './faults/tcp-proxy.ts'
import { rounds } from './rounds.ts'
import { jupyter, python, run } from './support.ts'

describe.skipIf(jupyter.missing)('a connection to a server that is', () => {
  let server: RemoteServer
  beforeAll(async () => {
    server = await RemoteServer.start({
      args: [...serverArguments, '--ZMQChannelsWebsocketConnection.limit_rate=False'],
    })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  /** A started executor behind a proxy. */
  async function behindProxy(options: JupyterExecutorOptions = {}) {
    const proxy = await TcpProxy.start(server.info)
    const executor = new JupyterCodeExecutor({ server: { ...server.info, port: proxy.port }, ...options })
    await executor.start()
    return {
      proxy,
      executor,
      async [Symbol.asyncDispose]() {
        await executor.stop()
        proxy[Symbol.dispose]()
      },
    }
  }

  test.for(['end', 'reset'] as const)(
    'cut while idle (%s) is made again, and variables are there',
    async (by) => {
      await using behind = await behindProxy()
      const { proxy, executor } = behind
      await run(executor, 'kept = 7')
      proxy.cut(by)
      await sleep(50)
      expect(await run(executor, 'print(kept)')).toMatchObject({ status: 'ok', output: '7\n' })
    },
  )

  test.for(['end', 'reset'] as const)(
    'cut while a cell is silent (%s): its end is heard, nothing is doubled, and a notice says what was',
    async (by) => {
      await using behind = await behindProxy()
      const { proxy, executor } = behind
      const execution = executor.execute([
        python("print('one', flush=True)", 'import time', 'time.sleep(1.5)', "print('two')"),
      ])
      for await (const event of execution)
        if (event.type === 'stdout' && event.text.includes('one')) proxy.cut(by)
      const result = await execution
      expect(result).toMatchObject({ status: 'ok', exitCode: 0 })
      expect(result.blocks[0]?.stdout).toBe('one\ntwo\n')
      expect(result.blocks[0]?.notices.map(({ code }) => code)).toEqual(['connection-restored'])
    },
  )

  test('cut until the cell has ended: a notice says so, also where all comes at once with the new connection', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fenced-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'go')
    await using behind = await behindProxy()
    const { proxy, executor } = behind
    const execution = executor.execute([
      python(
        "print('one', flush=True)",
        'import os, time',
        `while not os.path.exists(${JSON.stringify(file)}): time.sleep(0.01)`,
        "print('two')",
      ),
    ])
    for await (const event of execution) {
      if (event.type !== 'stdout' || !event.text.includes('one')) continue
      proxy.hold()
      proxy.cut('reset')
      writeFileSync(file, '')
      const everything = /(?=[\s\S]*execute_reply)[\s\S]*two[\s\S]*"idle"/
      await vi.waitFor(() => expect(proxy.held).toMatch(everything), 30_000)
      proxy.release()
    }
    const { blocks } = await execution
    expect(blocks[0]).toMatchObject({ stdout: 'one\ntwo\n', notices: [{ code: 'connection-restored' }] })
  })

  test('silent without an end is noticed by the keep-alive, and made again when that works again', async () => {
    await using behind = await behindProxy({ keepAliveMs: 200 })
    const { proxy, executor } = behind
    await run(executor, 'kept = 7')
    proxy.freeze()
    await sleep(100)
    proxy.thaw()
    expect(await failureOrOutput(run(executor, 'print(kept)'))).toMatch(/^(7\n|KERNEL_ANSWER_LOST)$/)
  })

  test.concurrent('gone when a cell is to be stopped takes the kernel along, and that is said', async () => {
    await using behind = await behindProxy()
    const { proxy, executor } = behind
    await run(executor, 'lost = 7')
    const controller = new AbortController()
    const execution = executor.execute(
      [python("print('one', flush=True)", 'import time', 'time.sleep(1000)')],
      { signal: controller.signal },
    )
    for await (const event of execution) {
      if (event.type !== 'stdout') continue
      proxy.refuse()
      controller.abort()
    }
    const result = await execution
    expect(result).toMatchObject({ status: 'cancelled', exitCode: 125 })
    expect(result.blocks[0]?.notices).toMatchObject([
      { code: 'state-lost', data: { fault: 'unreachable' } },
      { code: 'cancelled' },
    ])
    await expect(run(executor, 'print(1)')).rejects.toMatchObject({ code: 'JUPYTER_UNREACHABLE' })
    proxy.accept()
    await executor.restart()
    expect((await run(executor, "print('lost' in globals())")).output).toBe('False\n')
  })

  test.concurrent('cut again and again: a cell ends right, or with an error, and no line comes twice', async () => {
    const random = new Random(5)
    await using behind = await behindProxy()
    const { proxy, executor } = behind
    const outcomes: string[] = []
    for (let round = 0; round < 6 * rounds; round++) {
      const execution = run(
        executor,
        'import time',
        'for line in range(40):',
        '    print(line, flush=True)',
        '    time.sleep(0.01)',
      )
      const settled = execution.then(
        (result) => result,
        (error: { code: string; result?: unknown }) => error,
      )
      for (let cuts = random.whole(1, 3); cuts > 0; cuts--) {
        await sleep(random.whole(0, 250))
        proxy.cut(random.one(['end', 'reset']))
      }
      const outcome = (await settled) as Awaited<typeof execution> & { code?: string }
      outcomes.push(outcome.code ?? outcome.status)
      if (outcome.code === undefined) {
        expect(outcome).toMatchObject({ status: 'ok', exitCode: 0 })
        const lines = outcome.blocks[0]?.stdout.trim().split('\n').map(Number) ?? []
        expect(lines).toEqual([...new Set(lines)].sort((a, b) => a - b))
        const told = outcome.blocks[0]?.notices.some(({ code }) => code === 'connection-restored')
        if (lines.length < 40) expect(told).toBe(true)
      } else {
        expect(outcome.code).toBe('KERNEL_ANSWER_LOST')
        expect(await failure(run(executor, 'print(1)'))).toMatchObject({ code: 'EXECUTOR_DIED' })
        await executor.restart()
      }
    }
    expect(outcomes).toContain('ok')
  })

  test.concurrent('cut when it is idle is never idle: both sides give signs of life, also while a cell is silent', async ({
    onTestFinished,
  }) => {
    const folder = mkdtempSync(join(tmpdir(), 'fenced-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    await using behind = await behindProxy({ keepAliveMs: 1_000 })
    const { proxy, executor } = behind
    const signsOfLife = async () => {
      const { client, server } = proxy.webSocketChunks
      const more = () =>
        Math.min(proxy.webSocketChunks.client - client, proxy.webSocketChunks.server - server)
      await vi.waitUntil(() => more() >= 2, 120_000)
    }
    await run(executor, 'kept = 7')
    await signsOfLife()
    const file = join(folder, 'go')
    const execution = run(
      executor,
      'import os, time',
      `while not os.path.exists(${JSON.stringify(file)}): time.sleep(0.01)`,
      'print(kept)',
    )
    await signsOfLife()
    writeFileSync(file, '')
    expect(await execution).toMatchObject({ status: 'ok', output: '7\n' })
  })

  test.concurrent('cut whenever it was idle, with a keep-alive that comes too late, is made again each time', async () => {
    using proxy = await TcpProxy.start(server.info)
    proxy.idleMs = 300
    await using executor = new JupyterCodeExecutor({ server: { ...server.info, port: proxy.port } })
    await run(executor, 'kept = 7')
    const before = proxy.webSocketCount
    await vi.waitUntil(() => proxy.webSocketCount > before + 1, 120_000)
    expect(await run(executor, 'import time', 'time.sleep(1)', 'print(kept)')).toMatchObject({
      status: 'ok',
      output: '7\n',
    })
  })

  test.concurrent.for(['refuse', 'freeze'] as const)(
    'gone for good (%s) ends the cell with an error that says what was tried',
    async (how) => {
      await using behind = await behindProxy({ keepAliveMs: 1_000, reconnectTimeoutMs: 1_500 })
      const { proxy, executor } = behind
      const execution = executor.execute([
        python("print('early', flush=True)", 'import time', 'time.sleep(1000)'),
      ])
      const ended = failure(execution)
      for await (const event of events(execution)) if (event.type === 'stdout') proxy[how]()
      const error = await ended
      expect(error).toMatchObject({
        code: 'JUPYTER_UNREACHABLE',
        data: {
          url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
          attempts: expect.stringMatching(/^\d+$/),
          limitMs: '1500',
        },
      })
      expect(error.result).toMatchObject({ status: 'died', output: expect.stringMatching(/^early\n/) })
      expect(await failure(run(executor, 'print(1)'))).toMatchObject({ code: 'EXECUTOR_DIED' })
      proxy.accept()
      proxy.thaw()
      await executor.restart()
      expect(await run(executor, 'print(1)')).toMatchObject({ status: 'ok', output: '1\n' })
    },
  )

  test.concurrent('frozen holds up neither a time limit nor stop()', async () => {
    await using behind = await behindProxy({ interruptGraceMs: 200 })
    const { proxy, executor } = behind
    const execution = executor.execute(
      [python("print('early', flush=True)", 'import time', 'time.sleep(1000)')],
      {
        timeoutMs: 2_000,
      },
    )
    for await (const event of execution) if (event.type === 'stdout') proxy.freeze()
    expect(await execution).toMatchObject({ status: 'timeout', exitCode: 124 })
    await executor.stop()
  })
})

/** Only for what they tell until the end: the end itself is looked at elsewhere. */
async function* events<Event>(execution: AsyncIterable<Event>): AsyncIterable<Event> {
  try {
    yield* execution
  } catch {}
}

async function failureOrOutput(execution: Promise<{ output: string }>): Promise<string> {
  return execution.then(
    ({ output }) => output,
    ({ code }: { code: string }) => code,
  )
}
