import { once } from 'node:events'
import {
  Agent,
  createServer,
  type IncomingMessage,
  type RequestOptions,
  request,
  type ServerResponse,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, type Server } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import * as tls from 'node:tls'
import { Random } from '@fenced/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { SandboxAuthority } from '../../src/network/secrets/authority.ts'
import { secretForms } from '../../src/network/secrets/secret-forms.ts'
import { secretValue, startProxy } from './proxy.fixture.ts'

type Scheme = 'http' | 'https'

interface Guess {
  readonly text: string
  readonly isRight: boolean
}

/** What a program learns from a guess. */
interface Observation extends Guess {
  received: number
  /** Bytes that had arrived when the host sent the rest. */
  early: number
  durationMs: number
}

/** How many guesses are open at a time. */
const atOnce = 8
/** Long enough for most guesses to arrive, if they are passed on. */
const pauseMs = 3

/** Size of the rest, which repeats the guess, so that a difference in the work on a character adds up. */
const repeatedSize = 8_000

let authority: SandboxAuthority

beforeAll(async () => {
  authority = await SandboxAuthority.create()
})

describe('a program learns nothing from guesses that a host sends back', () => {
  it('a few', () => expectNothing('http', 200))

  it.each(['http', 'https'] as const)(
    '10,000 guesses by %s',
    { tags: 'nightly', timeout: 1_800_000 },
    (scheme) => expectNothing(scheme, 10_000),
  )
})

async function expectNothing(scheme: Scheme, count: number): Promise<void> {
  const seen = await observe(scheme, guesses(count))
  const [right, wrong] = [true, false].map((isRight) => seen.filter((each) => each.isRight === isRight))
  expect(seen.filter(({ early }) => early > 0)).toEqual([])
  // Without a difference, the share is a half, within 6 standard deviations.
  const share = shareOfLonger(right ?? [], wrong ?? [])
  expect(Math.abs(share - 0.5)).toBeLessThan(6 * Math.sqrt(1 / (3 * count)))
}

/** Beginnings of forms of the secret. In half of them, the last character is wrong. */
function guesses(count: number): Guess[] {
  const random = new Random(1)
  const forms = secretForms(secretValue)
  return Array.from({ length: count }, () => {
    const form = random.one(forms)
    const length = random.whole(1, form.length - 1)
    const isRight = random.whole(0, 1) === 1
    const wrong = String.fromCharCode(form.charCodeAt(length - 1) ^ 1)
    return { text: isRight ? form.slice(0, length) : form.slice(0, length - 1) + wrong, isRight }
  })
}

/** Lets a host send each guess, wait, and send the rest. */
async function observe(scheme: Scheme, all: readonly Guess[]): Promise<Observation[]> {
  const seen = all.map((guess): Observation => ({ ...guess, received: 0, early: 0, durationMs: 0 }))
  const answer = async ({ headers }: IncomingMessage, response: ServerResponse) => {
    const observation = seen[Number(headers['x-index'])]
    if (observation === undefined) return
    const { text } = observation
    response.write(text)
    await wait(pauseMs)
    observation.early = observation.received
    response.end(` ${text.repeat(Math.ceil(repeatedSize / text.length))}`)
  }
  const context = authority.contextOf('api.test')
  const server: Server =
    scheme === 'http'
      ? createServer(answer)
      : createSecureServer({ SNICallback: (_, done) => done(null, context) }, answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await using proxy = await startProxy(port, authority.certificate)
  const left = [...seen.keys()]
  const host = `api.test:${port}`
  const path = scheme === 'http' ? `http://${host}/` : '/'
  const send = async () => {
    const program = await connectTo(scheme, port, proxy.port)
    const options = { keepAlive: true, maxSockets: 1 }
    const agent = Object.assign(new Agent(options), { createConnection: () => program })
    for (let index = left.shift(); index !== undefined; index = left.shift())
      await ask({ agent, path, headers: { Host: host, 'X-Index': index } }, seen[index])
    program.destroy()
  }
  await Promise.all(Array.from({ length: atOnce }, send))
  server.close()
  return seen
}

async function connectTo(scheme: Scheme, port: number, proxyPort: number): Promise<Duplex> {
  const socket = connect(proxyPort, '127.0.0.1')
  if (scheme === 'http') return socket
  socket.write(`CONNECT api.test:${port} HTTP/1.1\r\nHost: api.test\r\n\r\n`)
  await once(socket, 'data')
  return tls.connect({ socket, servername: 'api.test', rejectUnauthorized: false })
}

async function ask(options: RequestOptions, observation: Observation | undefined): Promise<void> {
  if (observation === undefined) return
  const startedAt = performance.now()
  const [answer] = (await once(request(options).end(), 'response')) as [IncomingMessage]
  for await (const data of answer) observation.received += data.length
  observation.durationMs = performance.now() - startedAt
}

/** Of all pairs of a right and a wrong guess, the share in which the right one took longer. */
function shareOfLonger(right: readonly Observation[], wrong: readonly Observation[]): number {
  const all = [...right, ...wrong].sort((one, other) => one.durationMs - other.durationMs)
  let wrongBefore = 0
  let longer = 0
  for (const { isRight } of all) {
    if (isRight) longer += wrongBefore
    else wrongBefore++
  }
  return longer / (right.length * wrong.length)
}
