import type { RequestListener } from 'node:http'
import type { SandboxBackend } from '@fenced/core/sandbox'
import { expect, it, onTestFinished } from 'vitest'
import { connectEngine } from '../../src/engine/connect-engine.ts'
import { EnginePool } from '../../src/pool/engine-pool.ts'
import { onSocket, pong } from '../engine/server.fixture.ts'

/** A pool whose engine answers as `answer` says, and a sandbox that was lost with it. */
async function poolWithLoss(answer: RequestListener) {
  let isDown = false
  const address = await onSocket((request, response) => {
    if (isDown) return void response.destroy()
    if (request.url?.startsWith('/_ping')) return pong(request, response)
    if (request.url?.startsWith('/containers')) return answer(request, response)
    response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"message":"No such image"}')
  })
  const access = await connectEngine(address)
  const pool = new EnginePool({ engines: [{ docker: address }], checkIntervalMs: 600_000 })
  onTestFinished(() => access.close())
  const backend: Pick<SandboxBackend, 'remove'> = {
    remove: async () => {
      const abortSignal = AbortSignal.timeout(50)
      await access.docker.getContainer('any').remove({ abortSignal })
    },
  }
  const context = { signal: AbortSignal.timeout(60_000), notice: () => {} }
  const placement = await pool.place(
    { image: { image: 'any', pull: 'missing' } as never, container: undefined },
    context,
  )
  placement.watch(backend as SandboxBackend, { outlivesProcess: false })
  isDown = true
  expect((await pool.check()).engines).toMatchObject([{ health: 'down' }])
  return {
    pool,
    address,
    comeBack: () => {
      isDown = false
    },
  }
}

it('names the engine that does not answer to the removal of what was lost with it', async () => {
  const { pool, address, comeBack } = await poolWithLoss(() => {})
  comeBack()
  expect((await pool.check()).engines).toMatchObject([{ health: 'up' }])
  await expect(pool.close()).rejects.toMatchObject({
    code: 'ENGINE_LOST',
    data: { engine: address, fault: 'silent' },
  })
})

it('removes in the background what was lost with an engine that comes back later', async () => {
  const removed = Promise.withResolvers<string | undefined>()
  const { pool, comeBack } = await poolWithLoss(({ method }, response) => {
    response.writeHead(204).end()
    removed.resolve(method)
  })
  await pool.close()
  comeBack()
  expect(await removed.promise).toBe('DELETE')
})
