import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { type ConnectionOptions, connect } from 'node:tls'
import { expect, it } from 'vitest'
import { ClientHelloError, readClientHello } from './client-hello.ts'

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

/** A record with a message that has these extensions, each a type and its content. */
function handmade(extensions: readonly (readonly [type: number, content: Buffer])[]): Buffer {
  const bytes = extensions.map(([type, content]) => Buffer.concat([number(type, 2), vector(content, 2)]))
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32),
    vector(Buffer.alloc(0), 1),
    vector(Buffer.from([0x13, 0x01]), 2),
    vector(Buffer.from([0]), 1),
    vector(Buffer.concat(bytes), 2),
  ])
  return record(Buffer.concat([Buffer.from([1]), vector(body, 3)]))
}

function record(content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([22, 3, 1]), vector(content, 2)])
}

function number(value: number, size: number): Buffer {
  const bytes = Buffer.alloc(size)
  bytes.writeUIntBE(value, 0, size)
  return bytes
}

function vector(content: Buffer, size: number): Buffer {
  return Buffer.concat([number(content.length, size), content])
}

function serverName(...names: string[]): readonly [number, Buffer] {
  const entries = names.map((name) => Buffer.concat([Buffer.from([0]), vector(Buffer.from(name), 2)]))
  return [0, vector(Buffer.concat(entries), 2)]
}

it.each(['TLSv1.2', 'TLSv1.3'] as const)('reads the name that a client of %s asks for', async (version) => {
  const hello = await helloOf({ servername: 'api.test', minVersion: version, maxVersion: version })
  expect(readClientHello(hello)).toEqual({ serverName: 'api.test', isEncrypted: false })
})

it('sees that a client names no server', async () => {
  expect(readClientHello(await helloOf({ servername: '' }))).toEqual({
    serverName: undefined,
    isEncrypted: false,
  })
})

it('waits for the whole of a message, byte by byte', async () => {
  const hello = await helloOf({ servername: 'api.test' })
  for (let length = 0; length < hello.length; length++)
    expect(readClientHello(hello.subarray(0, length))).toBeUndefined()
})

it('reads a message that is spread over several records', async () => {
  const message = (await helloOf({ servername: 'api.test' })).subarray(5)
  const records = [
    record(message.subarray(0, 3)),
    record(message.subarray(3, 100)),
    record(message.subarray(100)),
  ]
  expect(readClientHello(Buffer.concat(records))?.serverName).toBe('api.test')
})

it('sees a name that is encrypted', () => {
  const hello = handmade([serverName('public.test'), [0xfe0d, Buffer.from([0])]])
  expect(readClientHello(hello)).toEqual({ serverName: 'public.test', isEncrypted: true })
})

it.each([
  ['two names', handmade([serverName('api.test', 'evil.test')])],
  ['a name twice', handmade([serverName('api.test'), serverName('evil.test')])],
  ['a name of another type', handmade([[0, vector(Buffer.from([1, 0, 1, 65]), 2)]])],
  ['an extension that ends behind the message', handmade([[0, Buffer.from([0, 9, 0])]])],
  ['another message first', record(Buffer.from([2, 0, 0, 1, 0]))],
  ['an empty record', record(Buffer.alloc(0))],
  ['a message without end', record(Buffer.from([1, 255, 255, 255]))],
  ['something else', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
])('refuses %s', (_, data) => {
  expect(() => readClientHello(data)).toThrow(ClientHelloError)
})
