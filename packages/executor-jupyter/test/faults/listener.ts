import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Certificate } from './certificates.ts'
import type { ProxyTarget } from './tcp-proxy.ts'

export interface Listening extends Disposable {
  readonly port: number
}

/** Listens on a port of 127.0.0.1, and is no Jupyter server. */
export async function listen(accept: (socket: Socket) => void): Promise<Listening> {
  return listening(createServer(accept))
}

/** Answers every request with the same bytes. */
export async function answerAlways(answer: string): Promise<Listening> {
  return listen((socket) => {
    socket.once('data', () => socket.end(answer))
  })
}

/** Takes TLS off, as the proxies in front of servers do. */
export async function terminateTls({ cert, key }: Certificate, target: ProxyTarget): Promise<Listening> {
  const server = createTlsServer({ cert, key }, (client) => {
    const plain = connect(target)
    for (const socket of [client, plain]) socket.on('error', () => {})
    client.pipe(plain).pipe(client)
    client.on('close', () => plain.destroy())
    plain.on('close', () => client.destroy())
  })
  server.on('tlsClientError', () => {})
  return listening(server)
}

async function listening(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.dispose]: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
