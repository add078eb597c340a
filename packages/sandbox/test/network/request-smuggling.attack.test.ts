import { once } from 'node:events'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import * as tls from 'node:tls'
import { Random } from '@fenced/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { SandboxAuthority } from '../../src/network/secrets/authority.ts'
import { readRequests } from './http-requests.fixture.ts'
import { type OddRequest, oddRequest } from './odd-requests.fixture.ts'
import { startProxy } from './proxy.fixture.ts'
import { RecordingHost } from './recording-host.fixture.ts'

/** Ways through the proxy. */
type Route = 'named' | 'tunnel' | 'named with secrets' | 'TLS with secrets'

/** Connections of programs at once. */
const atOnce = 16

let authority: SandboxAuthority

beforeAll(async () => {
  authority = await SandboxAuthority.create()
})

describe('a host reads exactly the requests that the proxy read', () => {
  it('of programs that write requests in odd ways', () => expectAgreement('named', 200))
  it('in a tunnel', () => expectAgreement('tunnel', 150))
  it('where the host has a secret', () => expectAgreement('named with secrets', 150))
  it('where the host has a secret and speaks TLS', () => expectAgreement('TLS with secrets', 30))

  const more = [
    ['named', 5_000],
    ['tunnel', 5_000],
    ['named with secrets', 5_000],
    ['TLS with secrets', 500],
  ] as const
  it.each(more)('thousands of times: %s', { tags: 'nightly', timeout: 600_000 }, expectAgreement)
})

async function expectAgreement(route: Route, count: number): Promise<void> {
  const name = route.endsWith('secrets') ? 'api.test' : 'open.test'
  await using host = new RecordingHost(route.startsWith('TLS') ? authority.contextOf(name) : undefined)
  const port = await host.listen()
  await using proxy = await startProxy(port, authority.certificate)
  const programs = Array.from({ length: count }, (_, seed) => writtenBy(seed, route, `${name}:${port}`))
  const left = [...programs.keys()]
  const send = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      await run(programs[next] ?? [], { route, authority: `${name}:${port}`, proxy: proxy.port, seed: next })
  }
  await Promise.all(Array.from({ length: atOnce }, send))
  await host.ended()
  expect(problemsOf(host.connections, programs, `${name}:${port}`)).toEqual([])
}

/** One to four requests, one behind the other on a connection. */
function writtenBy(seed: number, route: Route, authority: string): OddRequest[] {
  const random = new Random(seed)
  const count = random.whole(1, 4)
  const prefix = route.startsWith('named') ? `http://${authority}` : ''
  return Array.from({ length: count }, (_, index) =>
    oddRequest(random, { path: `/${seed}-${index}`, prefix, authority, isLast: index === count - 1 }),
  )
}

interface Run {
  readonly route: Route
  readonly authority: string
  readonly proxy: number
  readonly seed: number
}

/** Sends requests as a program does, in a few pieces, until the proxy ends the connection. */
async function run(requests: readonly OddRequest[], { route, authority, proxy, seed }: Run): Promise<void> {
  const socket = connect(proxy, '127.0.0.1').setNoDelay()
  let program: Duplex = socket
  const ended = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve))
  if (!route.startsWith('named')) {
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)
    await once(socket, 'data')
  }
  if (route.startsWith('TLS'))
    program = tls.connect({ socket, servername: authority.split(':')[0], rejectUnauthorized: false })
  program.on('error', () => {}).resume()
  const random = new Random(seed)
  const words = Buffer.from(requests.map((request) => request.words).join(''), 'latin1')
  for (let at = 0; at < words.length && !program.destroyed; ) {
    const size = random.one([words.length, words.length, random.whole(1, words.length)])
    await new Promise((written) => program.write(words.subarray(at, at + size), written))
    at += size
  }
  await ended
}

/** The bytes of connections that are not exactly one of the requests, and correct requests that are missing. */
function problemsOf(
  connections: readonly Buffer[],
  programs: readonly OddRequest[][],
  host: string,
): string[] {
  const expected = new Map(programs.flat().map((request) => [request.path, request]))
  const problems = connections.filter((bytes) => {
    const { requests, rest, problem } = readRequests(bytes)
    const [read] = requests
    const sent = expected.get(read?.target ?? '')
    expected.delete(read?.target ?? '')
    if (problem !== undefined || requests.length > 1) return true
    if (read === undefined) return false
    const isSame = sent?.method === read.method && sent.body === read.body && read.host === host
    return !isSame || rest !== ''
  })
  const correct = programs.filter((requests) => requests.every(({ isCorrect }) => isCorrect)).flat()
  const missing = correct.filter(({ path }) => expected.has(path))
  return [
    ...problems.map((bytes) => bytes.toString('latin1')),
    ...missing.map(({ words }) => `missing: ${words}`),
  ]
}
