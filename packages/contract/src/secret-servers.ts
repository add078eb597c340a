import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { Server, Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { LoopbackServers } from './loopback-servers.ts'

/** The certificate authority of these servers. */
export interface TestAuthority {
  /** In PEM. */
  readonly certificate: string
  contextOf(host: string): SecureContext
}

interface ReceivedRequest {
  readonly isSecure: boolean
  readonly head: string
  readonly body: string
}

/** Hosts that echo their requests, in many ways. */
export interface SecretServers extends AsyncDisposable {
  readonly httpPort: number
  readonly httpsPort: number
  /** A host with an untrusted certificate. */
  readonly falsePort: number
  readonly received: ReceivedRequest[]
}

type Echo = (response: ServerResponse, value: string, request: IncomingMessage) => void

const inBase64 = (text: string, before: string) => Buffer.from(`${before}${text}`).toString('base64')

/** By path, with the header `Authorization` of the request. */
const echoes: Readonly<Record<string, Echo>> = {
  '/header': (response, value) => {
    const headers = { 'X-Echo': value, Location: `/a?token=${value}`, 'Set-Cookie': `token=${value}` }
    response.writeHead(200, `For ${value}`, headers).end()
  },
  '/error': (response, value) => response.writeHead(500).end(`wrong token: ${value}`),
  '/forms': (response, value) => {
    const bytes = Buffer.from(value)
    const lines = ['', 'a', 'ab'].flatMap((before) => [
      inBase64(value, before),
      Buffer.from(`${before}${value}`).toString('base64url'),
    ])
    lines.push(JSON.stringify({ value }).replaceAll('/', '\\/'), encodeURIComponent(value))
    const signs = (write: (code: number) => string) =>
      lines.push(value.replace(/\W|_/g, (sign) => write(sign.charCodeAt(0))))
    signs((code) => `\\u${code.toString(16).padStart(4, '0')}`)
    signs((code) => `&#${code};`)
    signs((code) => `&#x${code.toString(16).toUpperCase()};`)
    lines.push(bytes.toString('hex'), bytes.toString('hex').toUpperCase(), value.toUpperCase())
    response.end(lines.join('\n'))
  },
  '/slowly': (response, value) => {
    const send = (index: number) => {
      if (index === value.length) response.end()
      else response.write(value[index], () => setTimeout(send, 1, index + 1))
    }
    send(0)
  },
  '/gzip': (response, value) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(value)),
  '/transfer': (response, value) => {
    const body = gzipSync(value)
    response.socket?.end(
      Buffer.concat([
        Buffer.from(
          `HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n${body.length.toString(16)}\r\n`,
        ),
        body,
        Buffer.from('\r\n0\r\n\r\n'),
      ]),
    )
  },
  '/part': (response, value, { headers: { range } }) => {
    const [, from = '0', to = '9'] = /bytes=(\d+)-(\d+)/.exec(range ?? '') ?? []
    if (range === undefined) response.end(value)
    else
      response.writeHead(206, { 'Content-Range': `bytes ${from}-${to}/*` }).end(value.slice(+from, +to + 1))
  },
  '/unasked': (response, value) =>
    response.writeHead(206, { 'Content-Range': 'bytes 0-9/*' }).end(value.slice(0, 10)),
  '/trailer': (response, value) => {
    response.writeHead(200, { Trailer: 'X-Echo' })
    response.write('body')
    response.addTrailers({ 'X-Echo': value })
    response.end()
  },
  '/hint': (response, value) => {
    response.writeEarlyHints({ link: `</${value}>; rel=preload` })
    response.end('hinted')
  },
}

/** On the loopback of this machine. */
export async function startSecretServers(
  authority: TestAuthority,
  impostor: TestAuthority,
): Promise<SecretServers> {
  const received: ReceivedRequest[] = []
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = []
    request.on('data', (data: Buffer) => parts.push(data))
    request.on('end', () => {
      const { method, url = '', rawHeaders, headers, socket } = request
      const head = [`${method} ${url}`, ...rawHeaders].join('\n')
      received.push({ isSecure: 'encrypted' in socket, head, body: Buffer.concat(parts).toString() })
      const { pathname, searchParams } = new URL(url, 'http://host')
      const to = searchParams.get('to')
      const echo = echoes[pathname]
      if (to !== null) response.writeHead(302, { Location: to }).end()
      else if (echo !== undefined) echo(response, headers.authorization ?? 'nothing', request)
      else response.end(`${head}\n${received.at(-1)?.body}`)
    })
  }
  const secureBy = (by: TestAuthority) =>
    createHttpsServer(
      { SNICallback: (name, done) => done(null, by.contextOf(name)), ALPNProtocols: ['h2', 'http/1.1'] },
      handle,
    )
  const servers = new LoopbackServers()
  const listen = (server: Server) => {
    server.on('upgrade', ({ headers }: IncomingMessage, socket: Socket) => {
      socket.end(`HTTP/1.1 101 Switching Protocols\r\nX-Echo: ${headers.authorization}\r\n\r\n`)
    })
    return servers.listen(server)
  }
  return {
    httpPort: await listen(createHttpServer(handle)),
    httpsPort: await listen(secureBy(authority)),
    falsePort: await listen(secureBy(impostor)),
    received,
    [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
  }
}
