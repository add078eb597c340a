import { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { OutgoingConnection } from '../../src/network/outgoing-connection.ts'
import { relayTls } from '../../src/network/tls-relay.ts'

/** One side of a connection: the test pushes what it sends, and reads what it is sent. */
function side() {
  const got: Buffer[] = []
  let hasEnd = false
  const stream = new Duplex({
    read: () => {},
    write: (chunk, _, done) => {
      got.push(chunk)
      done()
    },
    final: (done) => {
      hasEnd = true
      done()
    },
  })
  // As a socket has it.
  Object.assign(stream, { destroySoon: () => stream.destroy() })
  return { stream, got, hasEnd: () => hasEnd }
}

function relay(data: Buffer) {
  const [program, host] = [side(), side()]
  const connection = {
    socket: host.stream,
    destination: { kind: 'address', host: '10.0.0.1', port: 443 },
    count: () => {},
  }
  const relayed = relayTls(program.stream, connection as unknown as OutgoingConnection, data)
  return { program, host, relayed }
}

const record = (type: number, content: Buffer) =>
  Buffer.concat([Buffer.of(type, 3, 3, content.length >> 8, content.length & 255), content])

/** A ClientHello without extensions, and what a client may send before the answer. */
const hello = record(22, Buffer.from([1, 0, 0, 41, 3, 3, ...Buffer.alloc(32), 0, 0, 2, 19, 1, 1, 0]))
const early = record(23, Buffer.alloc(50))
const serverHello = record(22, Buffer.from([2, 0, 0, 38, 3, 3, ...Buffer.alloc(36)]))

it('a program that has ended before the answer ends the connection behind what waited', async () => {
  const { program, host, relayed } = relay(Buffer.concat([hello, early]))
  program.stream.push(null)
  program.stream.read()
  await turn()
  expect(Buffer.concat(host.got)).toEqual(hello)
  expect(host.hasEnd()).toBe(false)
  host.stream.push(serverHello)
  await turn()
  expect(Buffer.concat(host.got)).toEqual(Buffer.concat([hello, early]))
  expect(host.hasEnd()).toBe(true)
  program.stream.destroy()
  await relayed
})

it('nothing is passed on behind what is refused', async () => {
  const { program, host, relayed } = relay(hello)
  host.stream.push(Buffer.from('220 ready\r\n'))
  host.stream.push(serverHello)
  await expect(relayed).rejects.toMatchObject({ status: 502 })
  await turn()
  expect(program.got).toEqual([])
})
