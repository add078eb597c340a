import type { Duplex } from 'node:stream'
import { hostOf } from '@fenced/core/internal'
import { ClientHelloError, readClientHello } from './client-hello.ts'
import { type Authority, Refusal } from './proxied-request.ts'

/** How long a program may take to say what it wants on a connection that it asked for, in milliseconds. */
const limitMs = 60_000
/** The first byte of TLS (RFC 8446, 5.1). */
const handshake = 22

export function isTls(words: Buffer): boolean {
  return words[0] === handshake
}

/**
 * What a program says first on a connection: of TLS the whole of its first message.
 *
 * @throws Refusal for what begins as TLS and is not; an error when the connection ends before.
 */
export async function firstWords(program: Duplex): Promise<Buffer> {
  let words: Buffer = Buffer.alloc(0)
  const timer = setTimeout(() => program.destroy(), limitMs)
  try {
    while (words.length === 0 || (isTls(words) && helloIn(words) === undefined)) {
      const more: Buffer | null = program.read()
      if (more !== null) words = Buffer.concat([words, more])
      else if (program.destroyed || program.readableEnded) throw new Error('The connection was closed.')
      else await change(program)
    }
    return words
  } finally {
    clearTimeout(timer)
  }
}

/** @throws Refusal when a client of TLS names another server, or none, or may name one that nobody else can read. */
export function requireServerName(words: Buffer, { kind, host }: Authority): void {
  const { serverName, isEncrypted = false } = helloIn(words) ?? {}
  if (isEncrypted) throw new Refusal(403, 'TLS with an encrypted name of the server (ECH) is not let through')
  // A client of TLS names no addresses (RFC 6066, 3).
  if (kind === 'address' && serverName === undefined) return
  const named = serverName === undefined ? undefined : hostOf(serverName)
  if (named?.kind === 'name' && named.host === host) return
  const what = serverName === undefined ? 'no server' : JSON.stringify(serverName)
  throw new Refusal(403, `TLS names ${what}, and the connection is one to ${host}`)
}

function helloIn(words: Buffer): ReturnType<typeof readClientHello> {
  try {
    return readClientHello(words)
  } catch (error) {
    throw error instanceof ClientHelloError ? new Refusal(403, `${error.message}`) : error
  }
}

function change(program: Duplex): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const events = ['readable', 'end', 'close'] as const
  const changed = () => {
    for (const event of events) program.off(event, changed)
    resolve()
  }
  for (const event of events) program.on(event, changed)
  return promise
}
