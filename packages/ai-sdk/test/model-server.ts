import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** A server that gives these answers, one after the other, and keeps what it was asked. */
export async function modelServer(answers: readonly object[]) {
  // biome-ignore lint/suspicious/noExplicitAny: the body of a request in a protocol of somebody else.
  const asked: any[] = []
  const server = createServer(async (request, response) => {
    asked.push(await json(request))
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answers[asked.length - 1]))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return { asked, baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
