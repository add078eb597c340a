import { once } from 'node:events'
import { appendFile, mkdir, truncate, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Client } from './client.ts'
import { serveTest, type TestServer } from './served.ts'

/** More than the buffers of a connection hold, so that the server is still reading when the file changes. */
const largeBytes = 48 * 2 ** 20
/** A program's answer to the next request of the page. */
const forged = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\nforged'

let server: TestServer
let client: Client
let path = ''
beforeAll(async () => {
  server = await serveTest()
  client = await Client.of(server)
  path = await client.start({ executor: 'local' })
})
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
})

async function largeFile(name: string): Promise<string> {
  const file = join(server.directory, 'files', path.split('/').at(-1) ?? '', name)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, '')
  await truncate(file, largeBytes)
  return file
}

/** Requests a file and then the list of conversations over one connection, and reads nothing but the head of the first answer. */
async function startReading(name: string): Promise<{ head: string; socket: Socket; first: Buffer }> {
  const { host, hostname, port } = new URL(server.origin)
  const socket = connect(Number(port), hostname)
  const fields = `Host: ${host}\r\nCookie: ${client.cookie}\r\n\r\n`
  socket.write(`GET ${path}/files/${name} HTTP/1.1\r\n${fields}`)
  socket.write(`GET /api/conversations HTTP/1.1\r\n${fields}`)
  let received = Buffer.alloc(0)
  while (!received.includes('\r\n\r\n')) {
    await once(socket, 'readable')
    received = Buffer.concat([received, socket.read() ?? Buffer.alloc(0)])
  }
  const end = received.indexOf('\r\n\r\n') + 4
  return { head: received.subarray(0, end).toString(), socket, first: received.subarray(end) }
}

/** Reads the rest of a connection, which must end. Keeps the count of the bytes, and the last of them. */
async function readRest({ socket, first }: { socket: Socket; first: Buffer }) {
  let count = first.length
  let last = first
  socket.on('data', (chunk: Buffer) => {
    count += chunk.length
    last = Buffer.concat([last, chunk]).subarray(-4_096)
  })
  socket.on('error', () => {})
  await once(socket, 'close')
  return { count, last: last.toString('latin1') }
}

/** Waits until the server has filled the buffers of the connection. */
async function untilFull(socket: Socket): Promise<void> {
  for (let before = -1; before !== socket.readableLength; await turn()) before = socket.readableLength
}

describe('a file that changes while it is sent', () => {
  it('adds nothing to its response when a program appends to it', async () => {
    const file = await largeFile('grows.bin')
    const answer = await startReading('grows.bin')
    await untilFull(answer.socket)
    await appendFile(file, forged)
    const { count, last } = await readRest(answer)
    expect(answer.head).toMatch(new RegExp(`\r\nContent-Length: ${largeBytes}\r\n`, 'i'))
    expect(answer.head).toMatch(/\r\nConnection: close\r\n/i)
    expect([count, last.includes('HTTP/1.1')]).toEqual([largeBytes, false])
  })

  it('ends the connection when the file has become shorter', async () => {
    const file = await largeFile('shrinks.bin')
    const answer = await startReading('shrinks.bin')
    await untilFull(answer.socket)
    await truncate(file, 1)
    const { count, last } = await readRest(answer)
    expect(count).toBeLessThan(largeBytes)
    expect(last).not.toContain('HTTP/1.1')
  })

  it('gives an empty file as one', async () => {
    await client.fetch(`${path}/files/empty`, { method: 'PUT', body: '' })
    const response = await client.fetch(`${path}/files/empty`)
    expect([response.headers.get('content-length'), await response.text()]).toEqual(['0', ''])
  })
})
