import { sendHostileRequests } from '@fenced/testing'
import { McpServer } from '@modelcontextprotocol/server'
import { expect, it, onTestFinished } from 'vitest'
import { serveHttp } from '../../src/mcp/serve-http.ts'

async function attacked() {
  const server = await serveHttp(() => new McpServer({ name: 'test', version: '1.0.0' }), { port: 0 })
  onTestFinished(() => server[Symbol.asyncDispose]())
  const fields = { Authorization: `Bearer ${server.token}`, Accept: 'application/json, text/event-stream' }
  return { ...server, fields, port: Number(new URL(server.url).port), paths: ['/mcp', '/other'] }
}

it.each([
  ['//', 404],
  ['//x', 404],
  ['*', 400],
  ['http://[', 400],
  ['/%', 404],
  ['/mcp?a', 415],
])('answers a request with the target %s with status %i', async (target, status) => {
  const { port, fields } = await attacked()
  const { request } = await import('node:http')
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const sent = request({
    port,
    path: target,
    method: 'POST',
    headers: { ...fields, Host: `127.0.0.1:${port}` },
  })
  sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
  sent.end('{}')
  expect(await promise).toBe(status)
})

it('answers hostile requests without the text of an internal error, and continues', async () => {
  const server = await attacked()
  expect(await sendHostileRequests(server, { count: 250 })).toEqual([])
  expect((await fetch(server.url)).status).toBe(401)
})

it('answers ten thousand hostile requests, and continues', { tags: 'nightly' }, async () => {
  const server = await attacked()
  expect(await sendHostileRequests(server, { count: 10_000, seed: 2 })).toEqual([])
  expect((await fetch(server.url)).status).toBe(401)
})
