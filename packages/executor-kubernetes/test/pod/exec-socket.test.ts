import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { ExecSocket } from '../../src/pod/exec-socket.ts'

/** A server that keeps what it is sent, up to the message that closes stdin. */
async function openSocket({ autoPong = true } = {}): Promise<{
  socket: ExecSocket
  client: WebSocket
  received: Promise<Buffer[]>
  server: WebSocketServer
}> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, autoPong })
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
  return { socket: new ExecSocket(client), client, received, server }
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

describe('a connection that is read', () => {
  /** Lets five seconds pass for the connection, and waits until it has dealt with them. */
  async function pass(): Promise<void> {
    vi.advanceTimersByTime(5_000)
    await new Promise((resolve) => setTimeout(resolve, 1))
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve))
  }

  async function reading(autoPong: boolean) {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { socket, client, server } = await openSocket({ autoPong })
    let isOver = false
    let heard = Promise.withResolvers<void>()
    const onChunk = () => heard.resolve()
    void socket.read(onChunk).then(() => {
      isOver = true
    })
    const hears = async () => {
      await heard.promise
      heard = Promise.withResolvers()
    }
    return { socket, client, server, hears, isOver: () => isOver }
  }

  test('ends when the other side does not answer, and not before', async () => {
    const { socket, isOver } = await reading(false)
    await pass()
    await pass()
    expect(isOver()).toBe(false)
    await pass()
    await socket.ended
    expect(socket.status).toBe(undefined)
  })

  test('ends soon when it takes no more stdin that is read at once, and not where a program may read later', async () => {
    const { socket, client, server, isOver } = await reading(false)
    for (const connection of server.clients) connection.pause()
    socket.stdin.write(Buffer.alloc(64 * 2 ** 20))
    const isFull = async () => {
      const before = client.bufferedAmount
      await new Promise((resolve) => setTimeout(resolve, 50))
      return client.bufferedAmount === before
    }
    await expect.poll(isFull).toBe(true)
    for (let round = 0; round < 8; round++) await pass()
    expect(isOver()).toBe(false)
    socket.readsAtOnce()
    // One more where the buffers of this system were not full before.
    for (let round = 0; round < 5 && !isOver(); round++) await pass()
    expect(isOver()).toBe(true)
  })

  test('stays while the other side answers', async () => {
    const { socket, client, isOver } = await reading(true)
    for (let round = 0; round < 8; round++) {
      const answered = once(client, 'pong')
      await pass()
      await Promise.race([answered, socket.ended])
    }
    expect(isOver()).toBe(false)
    socket.destroy()
  })

  test('stays while the other side sends output, even if it does not answer', async () => {
    const { socket, server, hears, isOver } = await reading(false)
    for (let round = 0; round < 8; round++) {
      await pass()
      for (const connection of server.clients) connection.send(Buffer.of(1, round))
      await Promise.race([hears(), socket.ended])
    }
    expect(isOver()).toBe(false)
    socket.destroy()
  })

  test('waits for its reader as long as that takes, also after a question without an answer', async () => {
    const { socket, client } = await reading(false)
    await pass()
    socket.hold()
    for (let round = 0; round < 8; round++) await pass()
    expect(client.readyState).toBe(client.OPEN)
    socket.destroy()
  })

  test('has 10 seconds for an answer after a rest', async () => {
    const { socket, client } = await reading(false)
    socket.hold()
    await pass()
    void socket.read(() => {})
    for (let round = 0; round < 2; round++) await pass()
    expect(client.readyState).toBe(client.OPEN)
    await pass()
    expect(client.readyState).not.toBe(client.OPEN)
    socket.destroy()
  })

  test('is asked at once after a long rest', async () => {
    const { socket, client } = await reading(false)
    socket.hold()
    for (let round = 0; round < 2; round++) await pass()
    void socket.read(() => {})
    for (let round = 0; round < 2; round++) await pass()
    expect(client.readyState).not.toBe(client.OPEN)
    socket.destroy()
  })

  test('has 10 seconds for an answer after its output was taken', async () => {
    const { socket, client } = await reading(false)
    socket.hold(Buffer.from('rest'))
    for (let round = 0; round < 2; round++) await pass()
    const taken = Promise.withResolvers<void>()
    void socket.read(() => taken.promise)
    taken.resolve()
    for (let round = 0; round < 2; round++) await pass()
    expect(client.readyState).toBe(client.OPEN)
    socket.destroy()
  })
})
