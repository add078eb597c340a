// @module-tag all

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  ApprovalQueue,
  type ExecutionEvent,
  type NetworkApprovalAnswer,
  type NetworkApprovalRequest,
} from '@fenced/core'
import { CommandLineCodeExecutor } from '@fenced/sandbox'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { LocalSandbox, type LocalSandboxOptions } from '../src/index.ts'
import { bubblewrap, python, resourceLimits } from './requirements.ts'

const server = createServer((_, response) => response.end('answered'))
let port = 0

function makeSandbox(limits: LocalSandboxOptions = { memoryBytes: false, pids: false }): LocalSandbox {
  return new LocalSandbox(
    {
      isolation: 'bubblewrap',
      ...limits,
      network: {
        ...{ allowedHosts: ['api.test'], allowedCIDRs: ['127.0.0.1/32'] },
        ports: [port],
      },
    },
    { lookup: async () => ['127.0.0.1'] },
  )
}

const get = (host: string) => `
import urllib.request
try: print(urllib.request.urlopen('http://${host}:${port}/').read().decode())
except OSError as error: print(error)
`

/** Ends the helper, which is the same user's. */
const killHelper = `
import os, signal
for process in filter(str.isdigit, os.listdir('/proc')):
    if int(process) == os.getpid(): continue
    try: line = open('/proc/%s/cmdline' % process, 'rb').read()
    except OSError: continue
    if b'fenced-network 1' not in line: continue
    os.kill(int(process), signal.SIGKILL)
    # Until it has ended its socket may take a connection, which is reset.
    try:
        while open('/proc/%s/stat' % process).read().rpartition(')')[2].split()[0] != 'Z': pass
    except OSError: pass
`

describe.skipIf(bubblewrap.missing || python.missing)('blocks, with a network by list', () => {
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })

  afterAll(() => {
    server.close()
  })

  it('have their connections in events and in the result, and a notice of those that were refused', {
    timeout: 60_000,
  }, async () => {
    await using sandbox = makeSandbox()
    await using executor = new CommandLineCodeExecutor({ sandbox, warm: false })
    const execution = executor.execute([
      { language: 'python', code: get('api.test') },
      { language: 'python', code: get('evil.test') },
    ])
    const events: ExecutionEvent[] = []
    for await (const event of execution) if (event.type === 'connection') events.push(event)
    const { blocks, output } = await execution
    expect(output).toContain('answered\n')
    expect(events).toMatchObject([
      { index: 0, connection: { host: 'api.test', port, verdict: 'allowed' } },
      { index: 1, connection: { host: 'evil.test', port, verdict: 'refused', bytesSent: 0 } },
    ])
    expect(blocks.map(({ connections = [] }) => connections.map(({ host }) => host))).toEqual([
      ['api.test'],
      ['evil.test'],
    ])
    const [connection] = blocks[0]?.connections ?? []
    const { bytesSent, bytesReceived } = connection ?? {}
    expect(blocks.map(({ usage }) => usage)).toEqual([
      { bytesSent, bytesReceived },
      { bytesSent: 0, bytesReceived: 0 },
    ])
    expect(blocks[1]?.notices).toMatchObject([
      { code: 'network-refused', data: { hosts: `evil.test:${port}`, count: '1' } },
    ])
  })

  it.skipIf(resourceLimits.missing)('reach hosts also within limits', async () => {
    await using sandbox = makeSandbox({ memoryBytes: 2 ** 28, pids: 50 })
    await using executor = new CommandLineCodeExecutor({ sandbox, warm: false })
    const { output } = await executor.execute([{ language: 'python', code: get('api.test') }])
    expect(output).toBe('answered\n')
  })

  it.each([true, false])(
    'get a helper again when one has ended it (warm: %s)',
    { timeout: 60_000 },
    async (warm) => {
      await using sandbox = makeSandbox()
      await using executor = new CommandLineCodeExecutor({ sandbox, warm })
      const run = async (code: string) => (await executor.execute([{ language: 'python', code }])).output
      expect(await run(get('api.test'))).toBe('answered\n')
      expect(await run(killHelper + get('api.test'))).toContain('Connection refused')
      expect(await run(get('api.test'))).toBe('answered\n')
    },
  )

  it.each([true, false])(
    'wait with their clock stopped until somebody has decided about a host, and read why it was denied (warm: %s)',
    { timeout: 60_000 },
    async (warm) => {
      await using sandbox = makeSandbox()
      await using executor = new CommandLineCodeExecutor({ sandbox, warm, timeoutMs: 30_000 })
      await executor.start()
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
      onTestFinished(() => void vi.useRealTimers())
      const answers: NetworkApprovalAnswer[] = [
        { decision: 'allow' },
        { decision: 'deny', reason: 'not on a Sunday' },
      ]
      const asked: NetworkApprovalRequest[] = []
      const { blocks, output, status } = await executor.execute(
        [{ language: 'python', code: get('one.test') + get('two.test') }],
        {
          ask: {
            network: async (request) => {
              asked.push(request)
              if (asked.length === 1) {
                vi.advanceTimersByTime(31_000)
                vi.useRealTimers()
              }
              return answers.shift() ?? { decision: 'deny', reason: 'asked too often' }
            },
          },
        },
      )
      expect({ status, output }).toEqual({
        status: 'ok',
        output: 'answered\nHTTP Error 403: not on a Sunday\n',
      })
      expect(asked).toMatchObject([
        { host: 'one.test', port, executor: executor.name, blockIndex: 0 },
        { host: 'two.test', port },
      ])
      expect(blocks[0]?.connections).toMatchObject([
        { host: 'one.test', verdict: 'allowed' },
        { host: 'two.test', verdict: 'refused', reason: 'not on a Sunday' },
      ])
    },
  )

  it('are cancelled while a question is open, which is withdrawn', async () => {
    await using sandbox = makeSandbox()
    await using executor = new CommandLineCodeExecutor({ sandbox })
    const questions = new ApprovalQueue()
    const cancel = new AbortController()
    const running = executor.execute([{ language: 'python', code: get('one.test') }], {
      ask: { network: questions.ask },
      signal: cancel.signal,
    })
    await vi.waitFor(() => expect(questions.pending).toHaveLength(1), { timeout: 120_000 })
    cancel.abort()
    expect(await running).toMatchObject({ status: 'cancelled' })
    expect(questions.pending).toEqual([])
  })

  it('have in a connection that is open at their end one that is reported', async () => {
    await using sandbox = makeSandbox()
    await using executor = new CommandLineCodeExecutor({ sandbox })
    const code = `
import os, socket
connection = socket.create_connection(('127.0.0.1', 3128))
connection.sendall(b'CONNECT api.test:${port} HTTP/1.1\\r\\nHost: api.test:${port}\\r\\n\\r\\n')
print(connection.recv(12).decode())
os._exit(0)`
    const { blocks, output } = await executor.execute([{ language: 'python', code }])
    expect(output).toBe('HTTP/1.1 200\n')
    expect(blocks[0]?.connections).toMatchObject([{ host: 'api.test', verdict: 'allowed' }])
  })
})

it('says that it is a list, and is refused without isolation', () => {
  const network = { allowedHosts: ['api.test'] } as const
  expect(new LocalSandbox({ isolation: 'bubblewrap', network }).capabilities.network).toBe('list')
  for (const option of [network, 'none'] as const) {
    expect(() => new LocalSandbox({ network: option })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: 'network' } }),
    )
  }
  expect(new LocalSandbox({ network: 'open' }).capabilities.network).toBe('open')
})
