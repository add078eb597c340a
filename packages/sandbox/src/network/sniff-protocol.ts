import type { Duplex } from 'node:stream'
import { type ClientHello, ClientHelloReader } from './client-hello.ts'
import { type Destination, Refusal } from './proxied-request.ts'
import { TlsError } from './tls-fields.ts'

/** How long a program may take to say what it wants on a connection that it asked for, in milliseconds. */
const limitMs = 60_000
/** The first byte of TLS (RFC 8446, 5.1). */
const handshake = 22

/** The first bytes that a program sends on a connection, and whether they are TLS. */
export interface SniffedProtocol {
  readonly data: Buffer
  /** The TLS handshake, if there is one; `data` contains all of it. */
  readonly hello: ClientHello | undefined
}

/**
 * Reads what a program sends first on a connection.
 *
 * @throws Refusal for what begins as TLS and is not; an error when the connection ends before.
 */
export async function sniffProtocol(program: Duplex): Promise<SniffedProtocol> {
  const timer = setTimeout(() => program.destroy(), limitMs)
  try {
    const data = await someBytes(program)
    if (data[0] !== handshake) return { data, hello: undefined }
    const reader = new ClientHelloReader()
    let hello = helloIn(reader, data)
    while (hello === undefined) hello = helloIn(reader, await someBytes(program))
    return { data: reader.data, hello }
  } finally {
    clearTimeout(timer)
  }
}

/** @throws Refusal when a TLS client names a different server or no server, or may send an encrypted server name. */
export function requireServerName(hello: ClientHello, { kind, host }: Destination): void {
  const { serverName, isEncrypted } = hello
  if (isEncrypted) throw new Refusal(403, 'TLS with an encrypted name of the server (ECH) is not let through')
  // A client of TLS names no addresses (RFC 6066, 3).
  if (kind === 'address' && serverName === undefined) return
  // The server compares the written name, so no other spelling is accepted.
  if (kind === 'name' && serverName?.toLowerCase() === host) return
  const what = serverName === undefined ? 'no server' : JSON.stringify(serverName)
  throw new Refusal(403, `TLS names ${what}, and the connection is one to ${host}`)
}

function helloIn(reader: ClientHelloReader, bytes: Buffer): ClientHello | undefined {
  try {
    return reader.push(bytes)
  } catch (error) {
    throw error instanceof TlsError ? new Refusal(403, `${error.message}`) : error
  }
}

async function someBytes(program: Duplex): Promise<Buffer> {
  for (;;) {
    const bytes: Buffer | null = program.read()
    if (bytes !== null) return bytes
    if (program.destroyed || program.readableEnded) throw new Error('The connection was closed.')
    await change(program)
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
