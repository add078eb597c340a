// @module-tag all

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectInside } from '../src/index.ts'
import { closedPort } from './closed-port.ts'
import { localSandbox } from './local-sandbox.ts'

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

/** @returns the port. */
async function listen(onConnection: (socket: Socket) => void, host = '127.0.0.1'): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, onConnection).listen(0, host)
  servers.push(server)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const { sandbox } = localSandbox()
beforeAll(() => sandbox.start())
afterAll(() => sandbox.stop())

// Most of their time, relays wait for each other's end.
describe.concurrent.each([{ relay: 'python3' }, { relay: 'node' }])(
  'a connection through $relay',
  ({ relay }) => {
    const which = () => sandbox.which([relay])
    const spawn = sandbox.spawn.bind(sandbox)
    const connect = (port: number) => connectInside({ spawn, which }, port)

    it('passes on an answer after the end of the question, and says that a port is closed', async () => {
      const port = await listen((socket) => {
        let heard = ''
        socket.on('data', (data) => {
          heard += data
        })
        socket.on('end', () => socket.end(heard.toUpperCase()))
      })
      const connection = await connect(port)
      connection.end('hello')
      expect(await text(connection)).toBe('HELLO')
      using closed = await closedPort()
      await expect(connect(closed.port)).rejects.toMatchObject({
        code: 'SANDBOX_PORT_CLOSED',
        data: { port: `${closed.port}`, reason: expect.stringMatching(/refused/i) },
      })
    })

    it('brings bytes there and back, beside four others', async () => {
      const port = await listen((socket) => socket.pipe(socket))
      const answers = Array.from({ length: 5 }, async (_, seed) => {
        const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7 + seed) % 251))
        const connection = await connect(port)
        connection.end(bytes)
        return (await buffer(connection)).equals(bytes)
      })
      expect(await Promise.all(answers)).toEqual(answers.map(() => true))
    })

    it('holds up the sender while the receiver is behind, in both directions', async () => {
      const accepted = Promise.withResolvers<Socket>()
      const port = await listen((socket) => accepted.resolve(socket))
      const connection = await connect(port)
      const socket = await accepted.promise
      const piece = Buffer.alloc(1_000_000)
      for (const [from, to] of [[connection, socket] as const, [socket, connection] as const]) {
        to.pause()
        let sent = 0
        while (sent < 100 && (from.write(piece) || (await drained(from)))) sent++
        expect(sent).toBeLessThan(100)
        let left = (sent + 1) * piece.length
        const all = new Promise<void>((resolve) => {
          to.on('data', (data: Buffer) => {
            left -= data.length
            if (left === 0) resolve()
          })
        })
        to.resume()
        await all
      }
      connection.destroy()
    })

    it('passes on what is sent while nothing is read', async () => {
      const heard = Promise.withResolvers<string>()
      const accepted = Promise.withResolvers<Socket>()
      const port = await listen((socket) => {
        accepted.resolve(socket.on('error', () => {}))
        text(socket).then(heard.resolve)
      })
      const connection = await connect(port)
      const socket = await accepted.promise
      const piece = Buffer.alloc(1_000_000)
      for (let sent = 0; sent < 100 && (socket.write(piece) || (await drained(socket))); sent++);
      connection.end('question')
      expect(await heard.promise).toBe('question')
      const closed = once(connection, 'close')
      connection.destroy()
      await closed
    })

    it('goes on for the sender when the other direction has ended', async () => {
      const heard = Promise.withResolvers<string>()
      const port = await listen((socket) => {
        socket.end('first')
        text(socket).then(heard.resolve)
      })
      const connection = await connect(port)
      const closed = once(connection, 'close')
      let received = ''
      connection.on('data', (data) => {
        received += data
      })
      await once(connection, 'end')
      expect(received).toBe('first')
      connection.end('x'.repeat(300_000))
      expect(await heard.promise).toBe('x'.repeat(300_000))
      await closed
    })

    it('reaches the loopback of IPv6 as well, and is over when the server has closed it', async () => {
      const port = await listen((socket) => {
        socket.end('six')
        socket.resume()
      }, '::1')
      const connection = await connect(port)
      expect(await text(connection)).toBe('six')
      connection.end()
      if (!connection.closed) await once(connection, 'close')
    })

    it('ends the process when it is destroyed, which the server sees', async () => {
      const closed = Promise.withResolvers<void>()
      const port = await listen((socket) => {
        socket.on('error', () => {}).on('close', () => closed.resolve())
        socket.on('end', () => socket.end()).resume()
        socket.write('welcome')
      })
      const connection = await connect(port)
      await once(connection, 'data')
      connection.destroy()
      await closed.promise
    })
  },
)

it('a connection ends with its signal, whose reason is its error', async () => {
  const port = await listen((socket) => socket.on('error', () => {}))
  const controller = new AbortController()
  const reason = new Error('not wanted')
  const connection = await sandbox.connect(port, { signal: controller.signal })
  const failed = once(connection, 'error')
  controller.abort(reason)
  expect(await failed).toEqual([reason])
  await assert.rejects(sandbox.connect(port, { signal: controller.signal }), reason)
})

it('a connection that no program can pass on is refused, with the names of those that could', async () => {
  const without = { spawn: sandbox.spawn.bind(sandbox), which: async () => new Map() }
  await assert.rejects(connectInside(without, 80), {
    code: 'SANDBOX_PORT_CLOSED',
    data: { port: '80', program: 'python3, python, node' },
  })
  for (const port of [0, 65_536, 1.5]) {
    await assert.rejects(sandbox.connect(port), {
      code: 'SANDBOX_PORT_CLOSED',
      data: { port: `${port}` },
    })
  }
})

it('a connection goes through the next program where the first one does not work', async () => {
  const port = await listen((socket) => socket.end('reached'))
  const which = async () =>
    new Map([['python3', '/bin/false'], ['python', '/no/such/python'], ...(await sandbox.which(['node']))])
  const connection = await connectInside({ spawn: sandbox.spawn.bind(sandbox), which }, port)
  expect(await text(connection)).toBe('reached')
  const closed = once(connection, 'close')
  connection.destroy()
  await closed
})

/** Whether there is room soon. */
async function drained(stream: { once(event: 'drain', listener: () => void): unknown }): Promise<boolean> {
  const room = new Promise<true>((resolve) => stream.once('drain', () => resolve(true)))
  return Promise.race([room, sleep(200, false as const)])
}
