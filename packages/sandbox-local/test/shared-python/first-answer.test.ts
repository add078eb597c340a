import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { firstAnswer } from '../../src/shared-python/shared-python.ts'

describe('the first answer of a resident Python', () => {
  it('is its process number', async () => {
    expect(await answerOf((socket) => socket.end(frame('h', '3.11.7\x0042')))).toBe(42)
  })

  it.each([
    ['text', (socket: Socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['another frame', (socket: Socket) => socket.write(frame('s', ''))],
    ['nothing', (socket: Socket) => socket.end()],
    ['half a frame', (socket: Socket) => socket.end(frame('h', '3.11.7\x0042').subarray(0, 7))],
  ])('is none where another program answers with %s', async (_, answer) => {
    expect(await answerOf(answer)).toBeUndefined()
  })
})

async function answerOf(answer: (socket: Socket) => void): Promise<number | undefined> {
  const server = createServer((socket) => answer(socket.on('error', () => {}))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  try {
    return await firstAnswer(socket)
  } finally {
    socket.destroy()
    server.close()
  }
}

function frame(kind: string, body: string): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(body.length)
  return Buffer.concat([Buffer.from(kind), size, Buffer.from(body)])
}
