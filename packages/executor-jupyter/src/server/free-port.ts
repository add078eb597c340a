import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { FencedError } from '@fenced/core'

/** Finds a free port on this machine. */
export async function findFreePort(ip: string): Promise<number> {
  return listenOnce(ip, 0)
}

/** @throws FencedError `PORT_TAKEN`. */
export async function checkPort(ip: string, port: number): Promise<void> {
  try {
    await listenOnce(ip, port)
  } catch (cause) {
    throw new FencedError({
      code: 'PORT_TAKEN',
      message: `Port ${port} on ${ip} cannot be used (${(cause as NodeJS.ErrnoException).code}). Set another \`port\`, or leave it out to use a free port.`,
      data: {
        host: ip,
        port: String(port),
        reason: String((cause as NodeJS.ErrnoException).code),
        option: 'port',
      },
      cause,
    })
  }
}

async function listenOnce(ip: string, port: number): Promise<number> {
  const server: Server = createServer()
  server.listen(port, ip)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error(`${ip} has no ports.`)
  return address.port
}
