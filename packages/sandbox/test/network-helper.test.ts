// @module-tag all

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { BackendProcess } from '@fenced/core/sandbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HelperInterpreter, ListedNetwork, type NetworkHelper } from '../src/network/listed-network.ts'
import { networkAllowlistSchema } from '../src/network/network-options.ts'
import { pythonPath } from './python.ts'

const interpreters: readonly HelperInterpreter[] = [
  { kind: 'python', program: pythonPath },
  { kind: 'node', program: process.execPath },
]

/** A process of this machine, as a backend has it. */
function start([program, ...args]: readonly [string, ...string[]]): BackendProcess & { kill(): void } {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  return {
    stdin: child.stdin,
    read: async (sink) => {
      child.stdout.on('data', (chunk) => void sink('stdout', chunk))
      child.stderr.on('data', (chunk) => void sink('stderr', chunk))
      await once(child, 'close')
    },
    poll: async () => child.exitCode ?? undefined,
    ref: () => child.ref(),
    unref: () => child.unref(),
    destroy: () => child.stdin.destroy(),
    kill: () => child.kill('SIGKILL'),
  }
}

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

describe.each(interpreters)('the helper in $kind', (interpreter) => {
  const server = createServer((asked, answer) => {
    if (asked.method === 'POST') asked.pipe(answer)
    else if (asked.url === '/-1') {
      answer.write('begun')
      setTimeout(() => answer.destroy(), 100)
    } else answer.end('x'.repeat(Number(asked.url?.slice(1))))
  })
  let listed: ListedNetwork
  let helper: NetworkHelper
  let backendProcess: ReturnType<typeof start>
  let port: number
  let host: string

  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port: serverPort } = server.address() as AddressInfo
    host = `api.test:${serverPort}`
    const allowlist = { allowedHosts: ['api.test'], allowedCIDRs: ['127.0.0.1/32'] }
    const settings = networkAllowlistSchema.parse({ ...allowlist, ports: [serverPort] })
    listed = new ListedNetwork(settings, async () => ['127.0.0.1'])
    port = await freePort()
    helper = await listed.startHelper(interpreter, async (command) => {
      backendProcess = start(command.map((word) => (word === '3128' ? `${port}` : word)) as typeof command)
      return backendProcess
    })
  })

  afterAll(() => {
    helper?.end()
    listed?.end()
    server.close()
  })

  const get = async (size: number): Promise<string> => {
    const asked = request({ port, path: `http://${host}/${size}`, headers: { Host: host } })
    // Its answer says so, too.
    asked.on('error', () => {}).end()
    const [answer] = await once(asked, 'response')
    return text(answer)
  }
  const ask = (words: string): Duplex => {
    const connection = connect({ port, host: '127.0.0.1' })
    connection.on('error', () => {}).write(words)
    return connection
  }

  it('passes many connections on at once', async () => {
    const sizes = Array.from({ length: 100 }, (_, index) => index * 1_000)
    const answers = await Promise.all(sizes.map(get))
    expect(answers.map(({ length }) => length)).toEqual(sizes)
  })

  it('passes much on in both directions', async () => {
    const asked = request({ port, method: 'POST', path: `http://${host}/`, headers: { Host: host } })
    const sent = 'abcdefghij'.repeat(2_000_000)
    asked.end(sent)
    const [answer] = await once(asked, 'response')
    expect((await text(answer)) === sent).toBe(true)
  })

  it('resets a connection whose host breaks off', async () => {
    await expect(get(-1)).rejects.toThrow()
  })

  it('ends with its stdin, and what is connected then breaks', async () => {
    const connection = ask(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    await once(connection, 'data')
    const closed = once(connection, 'close')
    helper.end()
    await Promise.all([helper.ended, closed])
    const refused = once(connect({ port, host: '127.0.0.1' }), 'connect')
    await expect(refused).rejects.toThrow('ECONNREFUSED')
  })
})
