import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { NetworkGate } from '../../src/network/network-gate.ts'
import { networkAllowlistSchema } from '../../src/network/network-options.ts'
import { NetworkProxy } from '../../src/network/network-proxy.ts'
import { startProxy } from './proxy.fixture.ts'

/** A host that answers each request with its path, and the first one when the test says so. */
async function startHost() {
  const begun: string[] = []
  const { promise: first, resolve } = Promise.withResolvers<() => void>()
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {})
    socket.once('data', (head) => {
      const [, path = ''] = `${head}`.split(' ')
      const answer = () => socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${path.length}\r\n\r\n${path}`)
      if (begun.push(path) === 1) resolve(answer)
      else answer()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const host = `open.test:${port}`
  const request = (path: string) => `GET http://${host}${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  const lastRequest = (path: string) => request(path).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
  return { begun, port, first, request, lastRequest, [Symbol.dispose]: () => void server.close() }
}

/** Sends words to a proxy. @returns all that it answers */
function say(port: number, words: string): Promise<string> {
  const program = connect(port, '127.0.0.1')
  program.write(words)
  return text(program)
}

it('begins a request of a connection when the one before it is answered', async () => {
  const warnings: Error[] = []
  const warn = (warning: Error) => warnings.push(warning)
  process.on('warning', warn)
  using host = await startHost()
  await using proxy = await startProxy(host.port)
  const paths = Array.from({ length: 20 }, (_, index) => `/${index}`)
  const answers = say(proxy.port, paths.map(host.request).join('') + host.lastRequest('/last'))
  const answerFirst = await host.first
  // Requests that begin too early begin before this one.
  expect(await say(proxy.port, host.lastRequest('/other'))).toMatch(/\/other$/)
  expect(host.begun).toEqual(['/0', '/other'])
  answerFirst()
  expect((await answers).match(/\/(\d+|last)(?=HTTP|$)/g)).toEqual([...paths, '/last'])
  expect(host.begun).toEqual(['/0', '/other', ...paths.slice(1), '/last'])
  process.off('warning', warn)
  expect(warnings).toEqual([])
})

it('begins none of the requests behind one whose program has ended the connection', async () => {
  using host = await startHost()
  await using proxy = await startProxy(host.port)
  const program = connect(proxy.port, '127.0.0.1').on('error', () => {})
  program.write(['/0', '/1', '/2'].map(host.request).join(''))
  await host.first
  program.destroy()
  expect(await say(proxy.port, host.lastRequest('/other'))).toMatch(/\/other$/)
  expect(host.begun).toEqual(['/0', '/other'])
})

it('closes a connection on which too many requests wait, and no other', async () => {
  using host = await startHost()
  await using proxy = await startProxy(host.port)
  const program = connect(proxy.port, '127.0.0.1').on('error', () => {})
  const closed = new Promise((resolve) => program.once('close', resolve))
  program.write(host.request('/0'))
  await host.first
  program.write(host.request('/waits').repeat(1_000))
  await closed
  expect(await say(proxy.port, host.lastRequest('/other'))).toMatch(/\/other$/)
  expect(host.begun).toEqual(['/0', '/other'])
})

it('refuses TLS that begins in records of one byte, and passes nothing of it on', async () => {
  using host = await startHost()
  await using proxy = await startProxy(host.port)
  const program = connect(proxy.port, '127.0.0.1')
  program.write(`CONNECT open.test:${host.port} HTTP/1.1\r\nHost: open.test\r\n\r\n`)
  expect(`${await once(program, 'data')}`).toMatch(/^HTTP\/1\.1 200 /)
  // The type of the message and its length, 16,000 bytes, and the first of them.
  const message = [1, 0, 62, 128, ...Array.from({ length: 100 }, () => 3)]
  program.write(Buffer.from(message.flatMap((byte) => [22, 3, 1, 0, 1, byte])))
  const alert = Buffer.concat(await program.toArray())
  expect([...alert]).toEqual([21, 3, 3, 0, 2, 2, 112])
  expect(host.begun).toEqual([])
})

it('passes several requests of a tunnel on, each on a connection to the host', async () => {
  using host = await startHost()
  await using proxy = await startProxy(host.port)
  const program = connect(proxy.port, '127.0.0.1')
  program.write(`CONNECT open.test:${host.port} HTTP/1.1\r\nHost: open.test\r\n\r\n`)
  expect(`${await once(program, 'data')}`).toMatch(/^HTTP\/1\.1 200 /)
  const named = (words: string) => words.replace(/http:\/\/[^/]*/, '')
  program.write(named(host.request('/0')) + named(host.lastRequest('/1')))
  const answers = text(program)
  const answerFirst = await host.first
  answerFirst()
  expect((await answers).match(/\/\d(?=HTTP|$)/g)).toEqual(['/0', '/1'])
})

it('closes one connection too many, and takes another when one has closed', async () => {
  const settings = { allowedHosts: ['open.test'], maxConnections: 1 }
  const proxy = new NetworkProxy(new NetworkGate(networkAllowlistSchema.parse(settings)))
  const serve = () => {
    const program = new PassThrough()
    proxy.serve(program)
    return program
  }
  const [first, second] = [serve(), serve()]
  expect([first.destroyed, second.destroyed]).toEqual([false, true])
  await once(first.destroy(), 'close')
  expect(serve().destroyed).toBe(false)
})
