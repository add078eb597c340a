import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A port of the loopback on which nothing listens, and which other programs are not given meanwhile. */
export interface ClosedPort extends Disposable {
  readonly port: number
}

/** Reserves a port: a connection has it for its own end. Who names the port can listen on it. */
export async function closedPort(): Promise<ClosedPort> {
  const accepted: Socket[] = []
  const server = createServer((socket) => accepted.push(socket.on('error', () => {})))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.1' })
  await once(socket, 'connect')
  return {
    port: socket.localPort ?? 0,
    [Symbol.dispose]: () => {
      for (const each of [socket, ...accepted]) each.destroy()
      server.close()
    },
  }
}
