import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { ExecSocket } from '../../src/pod/exec-socket.ts'

/** A server that keeps what it is sent, up to the message that closes stdin. */
async function openSocket(): Promise<{ socket: ExecSocket; received: Promise<Buffer[]> }> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  const received = new Promise<Buffer[]>((resolve) => {
    server.on('connection', (connection) => {
      const messages: Buffer[] = []
      connection.on('message', (message: Buffer) => {
        messages.push(message)
        if (message[0] === 255) resolve(messages)
      })
    })
  })
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await once(client, 'open')
  onTestFinished(() => {
    client.terminate()
    server.close()
  })
  return { socket: new ExecSocket(client), received }
}

describe('the stdin of an exec', () => {
  test('ends after an empty chunk, and sends nothing for it', async () => {
    const { socket, received } = await openSocket()
    socket.stdin.write('')
    socket.stdin.write('a')
    socket.stdin.end('')
    await once(socket.stdin, 'finish')
    expect(await received).toEqual([Buffer.from('\0a'), Buffer.from([255, 0])])
  })
})
