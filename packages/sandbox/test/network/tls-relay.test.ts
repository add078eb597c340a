import { createECDH } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import * as tls from 'node:tls'
import { beforeAll, describe, expect, it } from 'vitest'
import { SandboxAuthority } from '../../src/network/secrets/authority.ts'
import { startProxy } from './proxy.fixture.ts'
import { clientHello, type Extension, number, record, serverName, vector } from './tls-messages.fixture.ts'

let authority: SandboxAuthority

beforeAll(async () => {
  authority = await SandboxAuthority.create()
})

/** A host on the loopback that records what it receives. @param serve - answers on a connection. */
async function startHost(serve: (socket: Socket) => void) {
  const received: Buffer[] = []
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {}).on('data', (data: Buffer) => received.push(data))
    serve(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    get received(): Buffer {
      return Buffer.concat(received)
    },
    [Symbol.dispose]: () => void server.close(),
  }
}

/** Serves TLS for every name, and says each byte back. */
function echoTls(socket: Socket, options: tls.TlsOptions = {}): tls.Server {
  const server = tls.createServer(
    { SNICallback: (name, done) => done(null, authority.contextOf(name)), ...options },
    (secure) => secure.on('error', () => {}).pipe(secure),
  )
  // TLS over the socket itself would not let the test see its bytes.
  const through = new Duplex({
    read: () => {},
    write: (chunk, _, callback) => void socket.write(chunk, callback),
    final: (callback) => void socket.end(callback),
  })
  socket.on('data', (data) => through.push(data)).on('end', () => through.push(null))
  server.on('tlsClientError', () => {}).emit('connection', through)
  return server
}

/** A connection of a program to the host, through the proxy. */
async function tunnel(proxy: { readonly port: number }, port: number): Promise<Socket> {
  const program = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {})
  program.write(`CONNECT open.test:${port} HTTP/1.1\r\nHost: open.test\r\n\r\n`)
  expect(`${await once(program, 'data')}`).toMatch(/^HTTP\/1\.1 200 /)
  return program
}

function secureOver(socket: Socket, options: tls.ConnectionOptions = {}): tls.TLSSocket {
  return tls.connect({ socket, servername: 'open.test', ca: authority.certificate, ...options })
}

describe('what is TLS is passed on', () => {
  const rows = [
    ['TLS 1.3', {}, {}],
    ['TLS 1.2', {}, { maxVersion: 'TLSv1.2' }],
    ['TLS 1.3 with a HelloRetryRequest', { ecdhCurve: 'P-384' }, { ecdhCurve: 'X25519:P-384' }],
    ['the certificate of a client', { requestCert: true, rejectUnauthorized: false }, {}],
    [
      'the certificate of a client of TLS 1.2',
      { requestCert: true, rejectUnauthorized: false },
      { maxVersion: 'TLSv1.2' },
    ],
  ] as const satisfies readonly (readonly [string, tls.TlsOptions, tls.ConnectionOptions])[]

  it.each(rows)('%s', async (_, ofServer, ofClient) => {
    using host = await startHost((socket) => echoTls(socket, ofServer))
    await using proxy = await startProxy(host.port)
    const client = secureOver(await tunnel(proxy, host.port), ofClient)
    const sent = Buffer.alloc(1_000_000, 'some bytes of a program')
    client.end(sent)
    expect((await buffer(client)).equals(sent)).toBe(true)
    if ('ecdhCurve' in ofServer) expect(host.received.toString('latin1').split('open.test')).toHaveLength(3)
  })

  it('a session of TLS 1.2 that is taken up again', async () => {
    const server = tls.createServer(
      { SNICallback: (name, done) => done(null, authority.contextOf(name)) },
      (secure) => secure.end('x'),
    )
    using host = await startHost((socket) => void server.emit('connection', socket))
    await using proxy = await startProxy(host.port)
    const first = secureOver(await tunnel(proxy, host.port), { maxVersion: 'TLSv1.2' })
    const [[session]] = await Promise.all([once(first, 'session'), buffer(first)])
    const second = secureOver(await tunnel(proxy, host.port), { maxVersion: 'TLSv1.2', session })
    await buffer(second)
    expect(second.isSessionReused()).toBe(true)
  })
})

/** Extensions of a client that leaves its key to the answer, and of one that gives it then. */
function extensionsFor(name: string, key?: Buffer): Extension[] {
  const share = key === undefined ? Buffer.alloc(0) : Buffer.concat([number(24, 2), vector(key, 2)])
  return [
    serverName(name),
    [10, vector(number(24, 2), 2)],
    [13, vector(Buffer.from([8, 4, 4, 1]), 2)],
    [43, vector(Buffer.from([3, 4]), 1)],
    [51, vector(share, 2)],
  ]
}

describe('a second ClientHello', () => {
  const secondFor = (name: string, more: readonly Extension[] = []) =>
    clientHello([...extensionsFor(name, createECDH('secp384r1').generateKeys()), ...more])
  const withoutName = () => clientHello(extensionsFor('', createECDH('secp384r1').generateKeys()).slice(1))
  const changeCipherSpec = record(Buffer.of(1), 20)

  /** Sends a first one, and more when the host asks for a second one. */
  async function ask(second: readonly Buffer[]) {
    using host = await startHost((socket) => echoTls(socket))
    await using proxy = await startProxy(host.port)
    const program = await tunnel(proxy, host.port)
    program.write(record(clientHello(extensionsFor('open.test'))))
    const [retry] = await once(program, 'data')
    const before = host.received.length
    for (const part of second) program.write(part)
    const [answer] = await once(program, 'data')
    program.destroy()
    return { retry, answer, passed: host.received.subarray(before), connection: proxy.connection }
  }

  it.each([
    ['alone', () => [record(secondFor('open.test'))]],
    ['behind ChangeCipherSpec', () => [changeCipherSpec, record(secondFor('open.test'))]],
  ])('passes with the same name: %s', async (_, second) => {
    const { retry, answer } = await ask(second())
    expect([retry[0], retry[5], answer[0], answer[5]]).toEqual([22, 2, 22, 2])
  })

  const halves = (message: Buffer) =>
    [message.subarray(0, 100), message.subarray(100)].map((part) => record(part))
  it.each([
    ['another name', () => [record(secondFor('evil.test'))]],
    ['no name', () => [record(withoutName())]],
    ['an encrypted name', () => [record(secondFor('open.test', [[0xfe0d, Buffer.of(0)]]))]],
    ['another name, behind ChangeCipherSpec', () => [changeCipherSpec, record(secondFor('evil.test'))]],
    ['another name, behind data', () => [record(Buffer.alloc(50), 23), record(secondFor('evil.test'))]],
    ['another name, in two records', () => halves(secondFor('evil.test'))],
    [
      'another name, behind one with the same',
      () => [record(Buffer.concat([secondFor('open.test'), secondFor('evil.test')]))],
    ],
    ['another message', () => [record(Buffer.from([11, 0, 0, 0]))]],
  ])('ends the connection with %s', async (_, second) => {
    const { answer, passed, connection } = await ask([Buffer.concat(second())])
    expect([...answer]).toEqual([21, 3, 3, 0, 2, 2, 112])
    expect(passed.includes('evil.test')).toBe(false)
    expect(passed.includes(Buffer.from([0xfe, 0x0d]))).toBe(false)
    expect(await connection).toMatchObject({ host: 'open.test', verdict: 'refused' })
  })
})

it('a client of TLS 1.2 cannot negotiate again, for another name', async () => {
  using host = await startHost((socket) => echoTls(socket, { maxVersion: 'TLSv1.2' }))
  await using proxy = await startProxy(host.port)
  const client = secureOver(await tunnel(proxy, host.port)).on('error', () => {})
  await once(client, 'secureConnect')
  client.renegotiate({}, () => {})
  expect(await proxy.connection).toMatchObject({ host: 'open.test', verdict: 'refused' })
})

describe('what is not TLS ends the connection', () => {
  it('as the answer of a host, which gets nothing but the first message', async () => {
    const hello = record(clientHello(extensionsFor('open.test')))
    using host = await startHost((socket) => socket.once('data', () => socket.write('220 ready\r\n')))
    await using proxy = await startProxy(host.port)
    const program = await tunnel(proxy, host.port)
    program.write(
      Buffer.concat([
        hello,
        record(Buffer.from('\r\nHELO smuggled\r\n'), 23),
        Buffer.from('HELO smuggled\r\n'),
      ]),
    )
    expect([...(await buffer(program))]).toEqual([21, 3, 3, 0, 2, 2, 40])
    expect(host.received.equals(hello)).toBe(true)
    expect(await proxy.connection).toMatchObject({ host: 'open.test', verdict: 'failed' })
  })

  it('of a program, behind a handshake', async () => {
    using host = await startHost((socket) => echoTls(socket))
    await using proxy = await startProxy(host.port)
    const program = await tunnel(proxy, host.port)
    const client = secureOver(program).on('error', () => {})
    await once(client, 'secureConnect')
    program.write('HELO smuggled\r\n')
    expect(host.received.includes('HELO')).toBe(false)
    expect(await proxy.connection).toMatchObject({ host: 'open.test', verdict: 'refused' })
  })

  it('of a host, behind a handshake', async () => {
    using host = await startHost((socket) => {
      echoTls(socket).once('secureConnection', () => socket.write('220 ready\r\n'))
    })
    await using proxy = await startProxy(host.port)
    secureOver(await tunnel(proxy, host.port)).on('error', () => {})
    expect(await proxy.connection).toMatchObject({ host: 'open.test', verdict: 'failed' })
  })
})

it('takes no other spelling of the name for it in TLS', async () => {
  using host = await startHost((socket) => echoTls(socket))
  await using proxy = await startProxy(host.port)
  for (const name of ['open.test.', 'open.\uff54est']) {
    const program = await tunnel(proxy, host.port)
    program.write(record(clientHello(extensionsFor(name))))
    expect([...(await buffer(program))]).toEqual([21, 3, 3, 0, 2, 2, 112])
  }
  expect(host.received).toHaveLength(0)
})
