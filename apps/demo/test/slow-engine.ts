import { once } from 'node:events'
import { createServer } from 'node:http'

/** An engine that pulls an image and never comes to an end: no real one does that when it is wanted. */
export interface SlowEngine extends AsyncDisposable {
  /** As for `DOCKER_HOST`. */
  readonly address: string
  /** Settles when somebody has asked for an image. */
  readonly asked: Promise<unknown>
  /** Settles when whoever asked for it has hung up. */
  readonly hungUp: Promise<unknown>
}

export async function slowEngine(socketPath: string): Promise<SlowEngine> {
  const asked = Promise.withResolvers<void>()
  const hungUp = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    const path = request.url?.replace(/^\/v[\d.]+/, '').replace(/\?.*/, '')
    response.setHeader('Api-Version', '1.41')
    if (path === '/_ping') return response.end('OK')
    if (path === '/info') return response.end('{}')
    if (path === '/containers/json') return response.end('[]')
    if (path !== '/images/create') {
      response.statusCode = 404
      return response.end('{"message":"no such image"}')
    }
    response.write('{"status":"Pulling from test/slow","id":"latest"}\n')
    response.once('close', hungUp.resolve)
    asked.resolve()
  })
  server.listen(socketPath)
  await once(server, 'listening')
  return {
    address: `unix://${socketPath}`,
    asked: asked.promise,
    hungUp: hungUp.promise,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
