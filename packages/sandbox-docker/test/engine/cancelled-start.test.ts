// @module-tag all

import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { Engine } from '../../src/engine.ts'
import { onSocket, pong } from './server.fixture.ts'

/** An engine that makes its one container when the test says so. */
async function slowEngine() {
  const asked = Promise.withResolvers<void>()
  const givenUp = Promise.withResolvers<void>()
  const removed = Promise.withResolvers<void>()
  let made: object | undefined
  let carryOut = () => {}
  const create = async (request: IncomingMessage, response: ServerResponse) => {
    request.socket.once('close', givenUp.resolve)
    const { Labels } = (await json(request)) as { readonly Labels: object }
    carryOut = () => {
      made = { Id: 'made', Config: { Labels } }
      answer(response, 201, made)
    }
    asked.resolve()
  }
  const address = await onSocket((request, response) => {
    const { method, url = '' } = request
    if (url.startsWith('/_ping')) return pong(request, response)
    if (url.startsWith('/containers/create')) return void create(request, response)
    if (made === undefined) return answer(response, 404, { message: 'No such container' })
    answer(response, 200, made)
    if (method === 'DELETE') removed.resolve()
  })
  const engine = await Engine.connect(address)
  onTestFinished(() => engine.close())
  const [whenAsked, whenGivenUp, whenRemoved] = [asked.promise, givenUp.promise, removed.promise]
  return { engine, whenAsked, whenGivenUp, whenRemoved, carryOut: () => carryOut() }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}

it('a start ends before the engine has answered, and the container that it makes later is removed', async () => {
  const { engine, whenAsked, whenGivenUp, whenRemoved, carryOut } = await slowEngine()
  const controller = new AbortController()
  const reason = new Error('changed my mind')
  const start = engine.startContainer({ name: 'any', Image: 'any' }, { signal: controller.signal })
  const outcome = start.catch((error: unknown) => error)
  await whenAsked
  controller.abort(reason)
  expect(await Promise.race([outcome, whenGivenUp])).toBe(reason)
  carryOut()
  await whenRemoved
})
