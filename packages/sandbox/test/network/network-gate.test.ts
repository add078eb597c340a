import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { PassThrough } from 'node:stream'
import { ApprovalQueue, type AskAbout, type NetworkConnection } from '@fenced/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { NetworkGate } from '../../src/network/network-gate.ts'
import { networkAllowlistSchema } from '../../src/network/network-options.ts'
import { Refusal } from '../../src/network/proxied-request.ts'

const server = createServer((socket) => socket.end())
let port = 0

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})

afterAll(() => {
  server.close()
})

function makeGate(ask: AskAbout<'network'>, addresses = ['127.0.0.1']) {
  const allowlist = { allowedHosts: ['api.test'], allowedCIDRs: ['127.0.0.1/32'], ports: [port] }
  const gate = new NetworkGate(networkAllowlistSchema.parse(allowlist), async () => addresses)
  const connections: NetworkConnection[] = []
  gate.watch({ ask, onConnection: (connection) => connections.push(connection) })
  const connect = (host: string, from = new PassThrough()) => gate.connect({ kind: 'name', host, port }, from)
  return { gate, connections, connect }
}

it('asks about a host that is not in the list, and connects when that is allowed', async () => {
  const asked: object[] = []
  const { gate, connect } = makeGate((request) => {
    asked.push(request)
    return { decision: 'allow' }
  })
  await connect('other.test')
  await connect('api.test')
  expect(asked).toMatchObject([{ kind: 'network', host: 'other.test', port }])
  gate.end()
})

it('asks in the queue in which programs and calls of tools wait', async () => {
  const questions = new ApprovalQueue()
  const { gate, connect } = makeGate(questions.ask)
  const connecting = connect('other.test')
  await expect.poll(() => questions.pending).toMatchObject([{ kind: 'network', host: 'other.test' }])
  const [{ id } = { id: '' }] = questions.pending
  expect(() => questions.answer(id, { decision: 'edit', blocks: [] })).toThrow(
    expect.objectContaining({ code: 'INVALID_APPROVAL' }),
  )
  questions.answer(id, { decision: 'allow' })
  await connecting
  gate.end()
})

it('reports what was refused before the list was asked', () => {
  const { gate, connections } = makeGate(() => ({ decision: 'allow' }))
  gate.reportRefusal(new Refusal(400, 'it is no name', { kind: 'name', host: 'a b', port: 1 }))
  expect(connections).toMatchObject([{ host: 'a b', port: 1, verdict: 'refused', reason: 'it is no name' }])
})

it('takes a question back whose program does not wait any more', async () => {
  const questions = new ApprovalQueue()
  const { connect } = makeGate(questions.ask)
  const program = new PassThrough()
  const connecting = connect('other.test', program)
  await expect.poll(() => questions.pending).toHaveLength(1)
  program.destroy()
  await expect(connecting).rejects.toMatchObject({ status: 403 })
  expect(questions.pending).toEqual([])
})

it('tells the program the reason of a denial', async () => {
  const { connect, connections } = makeGate(() => ({ decision: 'deny', reason: 'not on a Sunday' }))
  await expect(connect('other.test')).rejects.toMatchObject({ status: 403, message: 'not on a Sunday' })
  expect(connections).toMatchObject([{ verdict: 'refused', reason: 'not on a Sunday' }])
})

it.each([
  ['rejects', () => Promise.reject(new Error('nobody is there'))],
  ['is no answer', () => undefined as never],
  ['denies without a reason', () => ({ decision: 'deny' }) as never],
])('refuses when what was asked %s', async (_, approve) => {
  const { connect } = makeGate(approve)
  await expect(connect('other.test')).rejects.toMatchObject({ status: 403 })
})

it('keeps private addresses refused although the name is allowed', async () => {
  const { connect } = makeGate(() => ({ decision: 'allow' }), ['10.0.0.1'])
  await expect(connect('other.test')).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining('no public address'),
  })
})

it('withdraws a question when its program has ended the connection', async () => {
  const from = new PassThrough()
  let asking: AbortSignal | undefined
  const { connect } = makeGate((_, { signal }) => {
    asking = signal
    setTimeout(() => from.destroy(), 10)
    return new Promise(() => {})
  })
  await expect(connect('other.test', from)).rejects.toMatchObject({ status: 403 })
  expect(asking?.aborted).toBe(true)
})

it('asks about every connection, with at most 64 questions open at a time', async () => {
  const open: string[] = []
  const answers: Array<() => void> = []
  const { connect } = makeGate(({ host }) => {
    open.push(host)
    return new Promise((resolve) => answers.push(() => resolve({ decision: 'deny', reason: 'no' })))
  })
  const hosts = Array.from({ length: 90 }, (_, index) => `${index}.other.test`)
  const refused = hosts.map((host) => expect(connect(host)).rejects.toMatchObject({ message: 'no' }))
  await expect.poll(() => open.length).toBe(64)
  while (answers.length > 0) {
    answers.shift()?.()
    await new Promise(setImmediate)
  }
  await Promise.all(refused)
  expect(open).toEqual(hosts)
})

it('resolves nothing for a program that has left while others were resolved', async () => {
  const names: string[] = []
  const allowlist = { allowedHosts: ['*.test'] }
  const gate = new NetworkGate(networkAllowlistSchema.parse(allowlist), (name) => {
    names.push(name)
    return new Promise(() => {})
  })
  const program = new PassThrough()
  const connect = (host: string, from = new PassThrough()) =>
    gate.connect({ kind: 'name', host, port: 443 }, from)
  for (const host of ['one.test', 'two.test']) void connect(host).catch(() => {})
  const third = connect('three.test', program)
  program.destroy()
  await expect(third).rejects.toMatchObject({ status: 502, message: 'the program has ended the connection' })
  expect(names).toEqual(['one.test', 'two.test'])
})

it('counts bytes from each start to its stop', async () => {
  const speaker = createServer((socket) => socket.end('twelve bytes'))
  speaker.listen(0, '127.0.0.1')
  await once(speaker, 'listening')
  const { port: open } = speaker.address() as AddressInfo
  const allowlist = { allowedHosts: ['api.test'], allowedCIDRs: ['127.0.0.1/32'], ports: [open] }
  const gate = new NetworkGate(networkAllowlistSchema.parse({ ...allowlist, maxBytes: 10 }), async () => [
    '127.0.0.1',
  ])
  const connect = () => gate.connect({ kind: 'name', host: 'api.test', port: open }, new PassThrough())
  for (const _ of ['one start', 'the next start']) {
    const connection = await connect()
    connection.count()
    connection.socket.resume()
    await connection.ended
    await expect(connect()).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('moved all of its 10 bytes'),
    })
    gate.end()
  }
  speaker.close()
})
