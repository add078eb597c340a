import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionEvent } from '@fenced/core'
import { CommandLineCodeExecutor } from '@fenced/sandbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LocalSandbox } from '../src/index.ts'
import { bubblewrap, python } from './requirements.ts'

const server = createServer((_, response) => response.end('answered'))
let port = 0

function makeSandbox(): LocalSandbox {
  return new LocalSandbox(
    {
      ...{ isolation: 'bubblewrap', memoryBytes: false, pids: false },
      network: {
        ...{ mode: 'custom', allowedHosts: ['api.test'], allowedCIDRs: ['127.0.0.1/32'] },
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
    if b'fenced-network 1' in line: os.kill(int(process), signal.SIGKILL)
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
    expect(blocks[1]?.notices).toMatchObject([
      { code: 'network-refused', message: expect.stringContaining(`evil.test:${port}`) },
    ])
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

  it('have in a connection that is open at their end one that is reported', { timeout: 60_000 }, async () => {
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
  const network = { mode: 'custom', allowedHosts: ['api.test'] } as const
  expect(new LocalSandbox({ isolation: 'bubblewrap', network }).capabilities.network).toBe('custom')
  for (const option of [network, false, 'deny-all'] as const) {
    expect(() => new LocalSandbox({ network: option })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', message: expect.stringContaining('isolation') }),
    )
  }
  expect(new LocalSandbox({ network: 'allow-all' }).capabilities.network).toBe('open')
})
