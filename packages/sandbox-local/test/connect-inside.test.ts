import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectInside } from '@fenced/sandbox'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { busybox, ProcessSandbox } from './process-sandbox.ts'

const servers = new Set<Server>()
afterEach(() => {
  for (const server of servers) server.close()
  servers.clear()
})

/** @returns the port. */
async function listen(onConnection: (socket: Socket) => void, host = '127.0.0.1'): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, onConnection).listen(0, host)
  servers.add(server)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const relays = [
  { relay: 'python3', tools: 'system', ends: 'apart' },
  { relay: 'perl', tools: 'system', ends: 'apart' },
  { relay: 'nc', tools: 'system', ends: 'with the server' },
  { relay: 'nc', tools: 'busybox', ends: 'with the server' },
  { relay: 'bash', tools: 'system', ends: 'as a whole' },
] as const

describe.skipIf(busybox.missing)('a connection out of a process', () => {
  describe.each(relays)('of $relay with the tools of $tools', ({ relay, tools, ends }) => {
    const sandbox = new ProcessSandbox({ relay, tools })
    beforeAll(() => sandbox.start())
    afterAll(() => sandbox.stop())

    it('passes on an answer that comes after the end of the question, and says that a port is closed', async () => {
      const port = await listen((socket) => {
        let heard = ''
        socket.on('data', (data) => {
          heard += data
        })
        socket.on('end', () => socket.end(heard.toUpperCase()))
        // One that cannot hear the end of the question alone answers what it has heard.
        if (ends === 'as a whole') socket.once('data', (data) => socket.write(`${data}`.toUpperCase()))
      })
      const connection = await sandbox.connect(port)
      connection.end('hello')
      expect(await text(connection)).toBe('HELLO')
      for (const server of servers) await new Promise((resolve) => server.close(resolve))
      await assert.rejects(sandbox.connect(port), { code: 'SANDBOX_PORT_CLOSED', message: /refused/ })
    })

    it('brings a million bytes there and back', async () => {
      const port = await listen((socket) => socket.pipe(socket))
      const bytes = Buffer.from(Array.from({ length: 1_000_000 }, (_, index) => (index * 7) % 251))
      const connection = await sandbox.connect(port)
      connection.end(bytes)
      expect((await buffer(connection)).equals(bytes)).toBe(true)
    })

    it('is one of twenty', async () => {
      const port = await listen((socket) => socket.pipe(socket))
      const connections = await Promise.all(Array.from({ length: 20 }, () => sandbox.connect(port)))
      const answers = await Promise.all(
        connections.map(async (connection, index) => {
          connection.write(`number ${index}`)
          const [data] = await once(connection, 'data')
          connection.destroy()
          await once(connection, 'close')
          return `${data}`
        }),
      )
      expect(answers).toEqual(connections.map((_, index) => `number ${index}`))
    })

    it('holds up who sends while who takes is behind, in both directions', async () => {
      const accepted = Promise.withResolvers<Socket>()
      const port = await listen((socket) => accepted.resolve(socket))
      const connection = await sandbox.connect(port)
      const socket = await accepted.promise
      const piece = Buffer.alloc(1_000_000)
      for (const [from, to] of [[connection, socket] as const, [socket, connection] as const]) {
        to.pause()
        let sent = 0
        while (sent < 100 && (from.write(piece) || (await drained(from)))) sent++
        expect(sent).toBeLessThan(100)
        let received = 0
        to.on('data', (data: Buffer) => {
          received += data.length
        })
        to.resume()
        await expect.poll(() => received, { timeout: 30_000 }).toBe((sent + 1) * piece.length)
      }
      connection.destroy()
    })

    const why = ends === 'apart' ? '' : ` (skipped: it ends ${ends})`
    it(`goes on for the sender when the other direction has ended${why}`, { skip: why !== '' }, async () => {
      const heard = Promise.withResolvers<string>()
      const port = await listen((socket) => {
        socket.end('first')
        text(socket).then(heard.resolve)
      })
      const connection = await sandbox.connect(port)
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

    it('is over when the server has closed it', async () => {
      const port = await listen((socket) => {
        socket.end('bye')
        socket.resume()
      })
      const connection = await sandbox.connect(port)
      expect(await text(connection)).toBe('bye')
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
      const connection = await sandbox.connect(port)
      await once(connection, 'data')
      connection.destroy()
      await closed.promise
    })

    it('is found on the loopback of IPv6 as well', async () => {
      const port = await listen((socket) => socket.end('six'), '::1')
      const connection = await sandbox.connect(port)
      connection.end()
      expect(await text(connection)).toBe('six')
    })

    it('ends with its signal, whose reason is its error', async () => {
      const port = await listen((socket) => socket.on('error', () => {}))
      const controller = new AbortController()
      const reason = new Error('not wanted')
      const connection = await sandbox.connect(port, { signal: controller.signal })
      const failed = once(connection, 'error')
      controller.abort(reason)
      expect(await failed).toEqual([reason])
      await assert.rejects(sandbox.connect(port, { signal: controller.signal }), reason)
    })
  })

  it('is refused where no program can pass it on, and says what was looked for', async () => {
    await using sandbox = new ProcessSandbox({ tools: 'system', relay: 'none' })
    await sandbox.start()
    await assert.rejects(sandbox.connect(80), {
      code: 'SANDBOX_PORT_CLOSED',
      message: /python3, perl, nc, bash/,
    })
    for (const port of [0, 65_536, 1.5]) {
      await assert.rejects(sandbox.connect(port), {
        code: 'SANDBOX_PORT_CLOSED',
        message: /no such TCP port/,
      })
    }
  })

  it('comes from the next program where the first one does not work', async () => {
    await using sandbox = new ProcessSandbox({ tools: 'system' })
    await sandbox.start()
    const port = await listen((socket) => socket.end('reached'))
    const which = async () =>
      new Map([['python3', '/bin/false'], ['perl', '/no/such/perl'], ...(await sandbox.which(['bash']))])
    const connection = await connectInside({ spawn: sandbox.spawn.bind(sandbox), which }, port)
    expect(await text(connection)).toBe('reached')
  })
})

/** Whether there is room within a second. */
async function drained(stream: { once(event: 'drain', listener: () => void): unknown }): Promise<boolean> {
  const room = new Promise<true>((resolve) => stream.once('drain', () => resolve(true)))
  return Promise.race([room, sleep(1_000, false as const)])
}
