// @module-tag all

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { text } from 'node:stream/consumers'
import { forwardPort } from '@fenced/sandbox'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LocalSandbox } from '../src/index.ts'
import { bubblewrap } from './requirements.ts'

/** @returns the port. */
async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const subjects = [
  { name: 'of this machine', missing: false, create: () => new LocalSandbox() },
  {
    name: 'in bubblewrap with a network',
    missing: bubblewrap.missing,
    create: () => new LocalSandbox({ isolation: 'bubblewrap', network: 'open' }),
  },
] as const

describe.each(subjects.filter(({ missing }) => !missing))('a port of a sandbox $name', ({ create }) => {
  it('answers requests at its address, of each start of the sandbox and not between', async () => {
    const server = createHttpServer((incoming, response) => response.end(`you want ${incoming.url}`))
    await using sandbox = create()
    await sandbox.start()
    await using forwarded = await forwardPort(sandbox, await listening(server))
    const { url } = forwarded
    expect(await (await fetch(`${url}a`)).text()).toBe('you want /a')
    await sandbox.stop()
    await expect(fetch(url)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
    await sandbox.start()
    expect(await (await fetch(`${url}b`)).text()).toBe('you want /b')
  })
})

it('a server that cuts a connection off is not taken for one that has ended it', async () => {
  const server = createServer((socket) => {
    socket.once('data', () => socket.resetAndDestroy()).write('half')
  })
  await using sandbox = new LocalSandbox()
  await sandbox.start()
  await using forwarded = await forwardPort(sandbox, await listening(server))
  const client = connect({ port: forwarded.port, host: '127.0.0.1', allowHalfOpen: true })
  await once(client, 'data')
  client.write('cut it off')
  await assert.rejects(text(client), { code: 'ECONNRESET' })
})

it.skipIf(bubblewrap.missing)('a port of bubblewrap without a network is refused at once', async () => {
  await using sandbox = new LocalSandbox({ isolation: 'bubblewrap' })
  await sandbox.start()
  await assert.rejects(forwardPort(sandbox, 8000), { code: 'SANDBOX_PORT_CLOSED' })
})
