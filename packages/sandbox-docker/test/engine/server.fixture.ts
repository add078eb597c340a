import http, { type RequestListener } from 'node:http'
import https, { type ServerOptions } from 'node:https'
import net, { type AddressInfo, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { SecureContextOptions } from 'node:tls'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './temporary-folder.fixture.ts'

/** Answers to a ping as an engine does. */
export const pong: RequestListener = (_request, response) => {
  response.setHeader('Api-Version', '1.41').setHeader('Ostype', 'linux').end('OK')
}

/** An HTTP server on a unix socket, until the test has finished; gives the address. */
export function onSocket(listener: RequestListener): Promise<string> {
  return listen(http.createServer(listener))
}

/** Something that takes connections on a unix socket, and does with them what `handle` does. */
export function acceptsOnSocket(handle: (socket: Socket) => void): Promise<string> {
  return listen(net.createServer(handle))
}

async function listen(server: Server): Promise<string> {
  const path = join(temporaryFolder(), 'docker.sock')
  await new Promise<void>((resolve) => server.listen(path, resolve))
  endWithTest(server)
  return `unix://${path}`
}

/** A TLS server on a loopback port. */
export async function onTlsPort(options: ServerOptions, listener: RequestListener = pong) {
  const server = https.createServer(options, listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  endWithTest(server)
  return {
    port: (server.address() as AddressInfo).port,
    /** Takes other certificates from now on, and ends the connections it has. */
    replace(certificates: SecureContextOptions) {
      server.setSecureContext(certificates)
      server.closeAllConnections()
    },
  }
}

function endWithTest(server: Server): void {
  const open = new Set<Socket>()
  server.on('connection', (socket) => open.add(socket))
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
}
