// @module-tag all

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer, request } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ForwardPortOptions, forwardPort } from '../src/index.ts'
import { closedPort } from './closed-port.ts'
import { localSandbox } from './local-sandbox.ts'

const cleanups: Array<() => unknown> = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** @returns the port. */
async function listening(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(() => server.close())
  return (server.address() as AddressInfo).port
}

const echo = () =>
  createServer({ allowHalfOpen: true }, (socket) => socket.on('error', () => {}).pipe(socket))

/** A port on which nothing listens. */
async function freePort(): Promise<number> {
  const closed = await closedPort()
  cleanups.push(() => closed[Symbol.dispose]())
  return closed.port
}

async function client(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  cleanups.push(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

describe('a port of a sandbox', () => {
  const { sandbox } = localSandbox()
  beforeAll(() => sandbox.start())
  afterAll(() => sandbox.stop())

  async function forward(port: number, options: ForwardPortOptions = {}) {
    const forwarded = await forwardPort(sandbox, port, options)
    cleanups.push(() => forwarded.close())
    return forwarded
  }

  it('answers requests at its address, and upgrades them', async () => {
    const server = createHttpServer((incoming, response) => response.end(`you want ${incoming.url}`))
    server.on('upgrade', (_, socket: Duplex) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
      socket.pipe(socket)
    })
    const { url, port } = await forward(await listening(server))
    expect(url).toBe(`http://127.0.0.1:${port}/`)
    const answers = await Promise.all(['a', 'b', 'c'].map((path) => fetch(url + path)))
    expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual([
      'you want /a',
      'you want /b',
      'you want /c',
    ])
    const upgrading = request(url, { headers: { Connection: 'Upgrade', Upgrade: 'echo' } }).end()
    const [, socket] = (await once(upgrading, 'upgrade')) as [unknown, Duplex]
    for (const word of ['first', 'second']) {
      socket.write(word)
      expect(String((await once(socket, 'data'))[0])).toBe(word)
    }
    socket.destroy()
  })

  it('passes on the end of each direction by itself', async () => {
    const heard = Promise.withResolvers<string>()
    const server = createServer({ allowHalfOpen: true }, async (socket) => {
      const [first] = await once(socket, 'data')
      if (`${first}` === 'you end first') {
        socket.end('ended')
        text(socket).then(heard.resolve)
      } else {
        const question = `${first}${await text(socket)}`
        socket.end(question.toUpperCase())
      }
    })
    const { port } = await forward(await listening(server))
    const asking = await client(port)
    asking.end('question')
    expect(await text(asking)).toBe('QUESTION')
    const listeningLonger = await client(port)
    listeningLonger.write('you end first')
    expect(await text(listeningLonger)).toBe('ended')
    listeningLonger.end('x'.repeat(1_000_000))
    expect(await heard.promise).toHaveLength(1_000_000)
  })

  it('holds up who sends while who takes is behind, in both directions', async () => {
    const accepted = Promise.withResolvers<Socket>()
    const server = createServer((socket) => accepted.resolve(socket.pause()))
    const { port } = await forward(await listening(server))
    const socket = await client(port)
    const inside = await accepted.promise
    const piece = Buffer.alloc(1_000_000)
    for (const [from, to] of [[socket, inside] as const, [inside, socket] as const]) {
      to.pause()
      let sent = 0
      while (sent < 100 && (from.write(piece) || (await drained(from)))) sent++
      expect(sent).toBeLessThan(100)
      let received = 0
      to.on('data', (data: Buffer) => {
        received += data.length
      })
      to.resume()
      await expect.poll(() => received).toBe((sent + 1) * piece.length)
    }
  })

  it('takes twenty connections at once, each with bytes of its own', async () => {
    const { port } = await forward(await listening(echo()))
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const socket = await client(port)
        socket.end(Buffer.alloc(100_000, index))
        return buffer(socket)
      }),
    )
    for (const [index, answer] of answers.entries()) {
      expect(answer.equals(Buffer.alloc(100_000, index))).toBe(true)
    }
  })

  it('waits for a server that listens only later, with all connections that have come', async () => {
    const port = await freePort()
    const refused = Promise.withResolvers<void>()
    const connect: typeof sandbox.connect = (...given) =>
      sandbox.connect(...given).catch((error) => {
        refused.resolve()
        throw error
      })
    const { capabilities } = sandbox
    await using forwarded = await forwardPort({ capabilities, connect }, port, { waitTimeoutMs: 30_000 })
    const sockets = await Promise.all(Array.from({ length: 5 }, () => client(forwarded.port)))
    for (const [index, socket] of sockets.entries()) socket.end(`early ${index}`)
    await refused.promise
    await listening(echo(), port)
    const expected = sockets.map((_, index) => `early ${index}`)
    expect(await Promise.all(sockets.map((socket) => text(socket)))).toEqual(expected)
  })

  it('resets a connection to a port on which nothing listens in time, and says why', async () => {
    const errors: unknown[] = []
    const onError = (error: unknown) => errors.push(error)
    const port = await freePort()
    const forwarded = await forward(port, { waitTimeoutMs: 200, onError })
    await expect(fetch(forwarded.url)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
    expect(errors).toMatchObject([{ code: 'SANDBOX_PORT_CLOSED' }])
    await listening(echo(), port)
    const socket = await client(forwarded.port)
    socket.end('now')
    expect(await text(socket)).toBe('now')
  })

  it('lets the server know of a browser that has gone', async () => {
    const ended = Promise.withResolvers<void>()
    const server = createServer((socket) => {
      socket
        .on('error', () => {})
        .on('close', () => ended.resolve())
        .write('welcome')
    })
    const { port } = await forward(await listening(server))
    const socket = await client(port)
    await once(socket, 'data')
    socket.resetAndDestroy()
    await ended.promise
  })

  it('brings what a server wrote before its end, also when it is closed at once', async () => {
    const answered = Promise.withResolvers<void>()
    const server = createServer((socket) => {
      socket.once('data', () => socket.end('x'.repeat(50_000), () => answered.resolve()))
    })
    const { port, close } = await forward(await listening(server))
    const socket = await client(port)
    const answer = text(socket)
    socket.end('question')
    await answered.promise
    await close()
    expect(await answer).toHaveLength(50_000)
  })

  it('leaves no listener and no connection when it is closed', async () => {
    const ended = Promise.withResolvers<void>()
    const server = createServer((socket) => {
      socket
        .on('error', () => {})
        .on('close', () => ended.resolve())
        .write('welcome')
    })
    const { port, close } = await forward(await listening(server))
    const socket = await client(port)
    socket.on('error', () => {})
    await once(socket, 'data')
    await Promise.all([close(), close()])
    await ended.promise
    if (!socket.closed) await new Promise((resolve) => socket.destroy().once('close', resolve))
    await assert.rejects(client(port), { code: 'ECONNREFUSED' })
  })

  it('is closed by its signal, also while connections wait', async () => {
    const controller = new AbortController()
    const { port } = await forward(await freePort(), { signal: controller.signal, waitTimeoutMs: 60_000 })
    const sockets = await Promise.all([client(port), client(port)])
    const failed = sockets.map((socket) => once(socket.resume(), 'error'))
    controller.abort(new Error('enough'))
    expect(await Promise.all(failed)).toMatchObject([[{ code: 'ECONNRESET' }], [{ code: 'ECONNRESET' }]])
    await expect
      .poll(() =>
        client(port).then(
          () => 'open',
          ({ code }) => code,
        ),
      )
      .toBe('ECONNREFUSED')
    await assert.rejects(forward(80, { signal: controller.signal }), /enough/)
  })

  it('resets what comes while the sandbox has ended, and goes on with the next one', async () => {
    const errors: unknown[] = []
    const onError = (error: unknown) => errors.push(error)
    const server = createHttpServer((_, answer) => answer.end('back'))
    const { url } = await forward(await listening(server), { onError })
    await sandbox.stop()
    await expect(fetch(url)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
    expect(errors).toMatchObject([{ code: 'SANDBOX_GONE' }])
    await sandbox.start()
    expect(await (await fetch(url)).text()).toBe('back')
  })

  it('refuses more connections than it may have', async () => {
    const { port } = await forward(await listening(echo()), { maxConnections: 2 })
    const sockets = await Promise.all([client(port), client(port)])
    for (const socket of sockets) {
      socket.write('here')
      await once(socket, 'data')
    }
    const third = await client(port)
    expect(await text(third).catch(({ code }) => code)).toMatch(/^(ECONNRESET)?$/)
    sockets[0]?.destroy()
    const served = async () => {
      const socket = await client(port)
      socket.end('free')
      return text(socket).catch(() => '')
    }
    await expect.poll(served).toBe('free')
  })

  it('is forwarded to the loopback only, and to one address of it', async () => {
    const port = await listening(echo())
    for (const host of ['0.0.0.0', '::', 'localhost', '192.168.1.1', '127.1']) {
      await assert.rejects(forwardPort(sandbox, port, { host }), {
        code: 'INVALID_OPTIONS',
        data: { option: 'host' },
      })
    }
    await assert.rejects(forwardPort(sandbox, 0), { code: 'INVALID_OPTIONS' })
    const forwarded = await forward(port)
    const other = connect({ port: forwarded.port, host: '127.0.0.2' })
    cleanups.push(() => other.destroy())
    assert.match(String((await once(other, 'error'))[0]), /ECONNREFUSED|EADDRNOTAVAIL/)
  })

  it('is refused where its address on this machine is taken', async () => {
    const localPort = await listening(echo())
    await expect(forwardPort(sandbox, 80, { localPort })).rejects.toMatchObject({
      code: 'PORT_TAKEN',
      data: { port: `${localPort}`, host: '127.0.0.1', reason: expect.stringContaining('EADDRINUSE') },
    })
  })

  it('is refused at once where the sandbox has no ports', async () => {
    const capabilities = { ...sandbox.capabilities, ports: false }
    const without = { capabilities, connect: sandbox.connect.bind(sandbox) }
    await assert.rejects(forwardPort(without, 8000), { code: 'SANDBOX_PORT_CLOSED' })
  })
})

/** Whether there is room soon. */
async function drained(stream: { once(event: 'drain', listener: () => void): unknown }): Promise<boolean> {
  const room = new Promise<true>((resolve) => stream.once('drain', () => resolve(true)))
  return Promise.race([room, sleep(200, false as const)])
}
