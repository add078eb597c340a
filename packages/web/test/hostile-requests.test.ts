import { sendHostileRequests } from '@fenced/testing'
import { beforeAll, expect, it } from 'vitest'
import { buildPage } from '../scripts/build-page.ts'
import { Client } from './client.ts'
import { serveTest } from './served.ts'

beforeAll(() => buildPage())

async function attack(count: number, seed?: number): Promise<string[]> {
  await using server = await serveTest()
  const client = await Client.of(server)
  const conversation = await client.start({ executor: 'local' })
  const { port } = new URL(server.origin)
  const paths = [
    '/',
    '/api/session',
    '/api/state',
    '/api/conversations',
    conversation,
    `${conversation}/files/a`,
  ]
  const attacked = { port: Number(port), paths, fields: { Cookie: client.cookie } }
  const faults = await sendHostileRequests(attacked, { count, ...(seed === undefined ? {} : { seed }) })
  expect((await client.fetch('/api/conversations')).status).toBe(200)
  return faults
}

it('are answered without the text of an internal error, and the server continues', async () => {
  expect(await attack(250)).toEqual([])
})

it('are answered ten thousand times', { tags: 'nightly' }, async () => {
  expect(await attack(10_000, 2)).toEqual([])
})
