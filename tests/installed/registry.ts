import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** What `npm publish` sends. */
interface Publication {
  readonly name: string
  readonly versions: Readonly<Record<string, object>>
  readonly 'dist-tags': Readonly<Record<string, string>>
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>
}

export interface LoopbackRegistry extends AsyncDisposable {
  readonly url: string
}

/** A registry that contains only packages that are published to it. Dependencies come from the usual registry. */
export async function startRegistry(): Promise<LoopbackRegistry> {
  const documents = new Map<string, object>()
  const tarballs = new Map<string, Buffer>()

  async function publish(request: IncomingMessage): Promise<object> {
    const { name, versions, 'dist-tags': tags, _attachments } = (await json(request)) as Publication
    // Older than any age that a package manager wants a release to have.
    const time = Object.fromEntries(
      ['created', 'modified', ...Object.keys(versions)].map((key) => [key, '2020-01-01T00:00:00.000Z']),
    )
    documents.set(name, { name, versions, 'dist-tags': tags, time })
    for (const [file, { data }] of Object.entries(_attachments)) {
      tarballs.set(`/${name}/-/${file}`, Buffer.from(data, 'base64'))
    }
    return { ok: true }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://loopback').pathname)
    const body = request.method === 'PUT' ? await publish(request) : documents.get(path.slice(1))
    if (body !== undefined) {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
    } else {
      const tarball = tarballs.get(path)
      response.statusCode = tarball === undefined ? 404 : 200
      response.end(tarball ?? '{}')
    }
  }

  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
