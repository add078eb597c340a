import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { type ConnectionOptions, connect } from 'node:tls'
import { expect, it, vi } from 'vitest'
import { type ClientHello, ClientHelloReader } from '../../src/network/client-hello.ts'
import { TlsError } from '../../src/network/tls-fields.ts'
import { clientHello, type Extension, record, serverName, vector } from './tls-messages.fixture.ts'

/** The first bytes that Node's own client sends. */
async function helloOf(options: ConnectionOptions): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  const server = createServer((socket) => socket.once('data', resolve).on('error', () => {}))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1', ...options }).on('error', () => {})
  const hello = await promise
  client.destroy()
  server.close()
  return hello
}

function read(data: Buffer): ClientHello | undefined {
  return new ClientHelloReader().push(data)
}

/** A record with a message that has these extensions. */
function handmade(extensions: readonly Extension[]): Buffer {
  return record(clientHello(extensions))
}

/** A message in records of a size. */
function recordsOf(message: Buffer, size: number): Buffer {
  const count = Math.ceil(message.length / size)
  const parts = Array.from({ length: count }, (_, index) =>
    message.subarray(index * size, (index + 1) * size),
  )
  return Buffer.concat(parts.map((part) => record(part)))
}

it.each(['TLSv1.2', 'TLSv1.3'] as const)('reads the name that a client of %s asks for', async (version) => {
  const hello = await helloOf({ servername: 'api.test', minVersion: version, maxVersion: version })
  expect(read(hello)).toEqual({ serverName: 'api.test', isEncrypted: false })
})

it('sees that a client names no server', async () => {
  expect(read(await helloOf({ servername: '' }))).toEqual({
    serverName: undefined,
    isEncrypted: false,
  })
})

it('waits for the whole of a message, byte by byte', async () => {
  const hello = await helloOf({ servername: 'api.test' })
  const reader = new ClientHelloReader()
  for (let at = 0; at < hello.length - 1; at++)
    expect(reader.push(hello.subarray(at, at + 1))).toBeUndefined()
  expect(reader.push(hello.subarray(-1))?.serverName).toBe('api.test')
  expect(reader.data).toEqual(hello)
})

it('reads a message that is spread over several records', async () => {
  const message = (await helloOf({ servername: 'api.test' })).subarray(5)
  expect(read(recordsOf(message, Math.ceil(message.length / 30)))?.serverName).toBe('api.test')
})

it('copies each byte a few times at most, however small the pieces are that a large message comes in', () => {
  const padding = Array.from({ length: 60 }, (_, index) => [0x7a00 + index, Buffer.alloc(1_000)] as const)
  const hello = recordsOf(handmade([serverName('api.test'), ...padding]).subarray(5), 16_000)
  const concat = vi.spyOn(Buffer, 'concat')
  const reader = new ClientHelloReader()
  const results = Array.from(hello, (byte) => reader.push(Buffer.of(byte)))
  const copied = concat.mock.results.reduce((sum, { value }) => sum + value.length, 0)
  concat.mockRestore()
  expect(results.at(-1)?.serverName).toBe('api.test')
  expect(copied).toBeLessThan(10 * hello.length)
})

it('sees a name that is encrypted', () => {
  const hello = handmade([serverName('public.test'), [0xfe0d, Buffer.from([0])]])
  expect(read(hello)).toEqual({ serverName: 'public.test', isEncrypted: true })
})

it('refuses a message that names two servers, or is malformed', ({ everyRow }) =>
  everyRow(
    [
      ['two names', handmade([serverName('api.test', 'evil.test')])],
      ['a name twice', handmade([serverName('api.test'), serverName('evil.test')])],
      ['a name of another type', handmade([[0, vector(Buffer.from([1, 0, 1, 65]), 2)]])],
      ['an extension that ends behind the message', handmade([[0, Buffer.from([0, 9, 0])]])],
      ['another message first', record(Buffer.from([2, 0, 0, 1, 0]))],
      ['another message in the same record', record(Buffer.concat([1, 2].map(() => clientHello([]))))],
      ['an empty record', record(Buffer.alloc(0))],
      ['a message without end', record(Buffer.from([1, 255, 255, 255]))],
      ['records of one byte', recordsOf(handmade([serverName('api.test')]).subarray(5), 1)],
      ['something else', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ],
    (_, data) => {
      expect(() => read(data)).toThrow(TlsError)
    },
  ))
