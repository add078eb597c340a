import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { LoopbackServers } from './loopback-servers.ts'

/** Servers of this machine for the rows of a network by list. */
export interface NetworkServers extends AsyncDisposable {
  readonly httpPort: number
  readonly tcpPort: number
  /** The bytes of each connection to `tcpPort`. */
  readonly received: Buffer[]
  /** The number of bytes of the endless answer `/endless` that were passed to its connections. */
  readonly endlessBytes: () => number
}

const chunk = Buffer.alloc(64 * 1_024, 'x')

/** Servers on the loopback of this machine: HTTP that echoes its requests, and TCP that only listens. */
export async function startNetworkServers(): Promise<NetworkServers> {
  const received: Buffer[] = []
  let endless = 0
  const http = createHttpServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://server')
    const size = /^\/bytes\/(\d+)$/.exec(pathname)?.[1]
    if (pathname === '/redirect') response.writeHead(302, { Location: 'http://evil.test/' }).end()
    else if (size !== undefined) response.end(Buffer.alloc(Number(size), 'x'))
    else if (pathname === '/endless') {
      const send = () => {
        let hasRoom = true
        while (hasRoom && !response.destroyed) {
          endless += chunk.length
          hasRoom = response.write(chunk)
        }
      }
      response.on('drain', send)
      send()
    } else if (request.method === 'POST') {
      let count = 0
      request.on('data', (data: Buffer) => {
        count += data.length
      })
      request.on('end', () => response.end(`${count} bytes`))
    } else response.end(`${request.method} ${request.url} for ${request.headers.host}`)
  })
  http.on('upgrade', (_, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'))
  const tcp = createServer((socket) => {
    const index = received.push(Buffer.alloc(0)) - 1
    socket.on('error', () => {})
    socket.on('data', (data) => {
      received[index] = Buffer.concat([received[index] ?? Buffer.alloc(0), data as Buffer])
      socket.end('taken')
    })
  })
  const servers = new LoopbackServers()
  return {
    httpPort: await servers.listen(http),
    tcpPort: await servers.listen(tcp),
    received,
    endlessBytes: () => endless,
    [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
  }
}
