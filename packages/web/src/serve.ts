import type { AddressInfo } from 'node:net'
import { FencedError } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import { type HandleRequest, listenOnLoopback, reportFailure } from '@fenced/shared'
import { getRequestListener, RequestError } from '@hono/node-server'
import { createFencedWeb, type FencedWeb } from './fenced-web.ts'
import type { FencedWebOptions } from './options.ts'

/** Options of {@link serveFencedWeb}. */
export interface ServeFencedWebOptions extends FencedWebOptions {
  /**
   * Port on 127.0.0.1.
   *
   * @default a free port
   */
  readonly port?: number | undefined
}

/** A running server of the page. */
export interface ServedFencedWeb extends AsyncDisposable {
  /** Address of the page, including its token: `http://127.0.0.1:4477/#token=...`. */
  readonly url: string
  /** Stops the server and everything that is running. */
  close(): Promise<void>
}

const portSchema = z.looseObject({ port: z.int().min(0).max(65_535).optional() })

/**
 * Serves the page on 127.0.0.1, where only this machine can reach it.
 *
 * @throws FencedError `INVALID_OPTIONS`, `DIRECTORY_IN_USE`, `CONVERSATIONS_OF_ANOTHER_VERSION`, `CONVERSATIONS_DAMAGED`,
 *   `PORT_TAKEN`.
 */
export async function serveFencedWeb(options: ServeFencedWebOptions): Promise<ServedFencedWeb> {
  const { port = 0, ...rest } = options
  parseOptions(portSchema, options, 'serveFencedWeb')
  const web = createFencedWeb(rest)
  try {
    const server = await listenOnLoopback(listener(web), port).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EADDRINUSE' ? portTaken(port, error) : error
    })
    const address = server.address() as AddressInfo
    const close = async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      await web.close()
      // Readers of events would stay for ever.
      server.closeAllConnections()
      await closed
    }
    const url = `http://127.0.0.1:${address.port}/#token=${web.token}`
    return { url, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await web.close()
    throw error
  }
}

function listener({ fetch }: Pick<FencedWeb, 'fetch'>): HandleRequest {
  return getRequestListener(fetch, {
    hostname: '127.0.0.1',
    errorHandler(error) {
      const isRequest = error instanceof RequestError
      if (!isRequest) reportFailure(error)
      const message = isRequest
        ? 'The address or the `Host` of the request is not valid.'
        : 'The server failed.'
      return Response.json({ message }, { status: isRequest ? 400 : 500 })
    },
  })
}

function portTaken(port: number, cause: Error): FencedError {
  return new FencedError({
    code: 'PORT_TAKEN',
    message: `Port ${port} is in use. Choose a different port, or omit the option.`,
    data: { port: `${port}` },
    cause,
  })
}
