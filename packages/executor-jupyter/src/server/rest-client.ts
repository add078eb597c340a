import { FencedError } from '@fenced/core'
import { z } from '@fenced/core/zod'
import type { Agent, request } from 'undici'
import { parsedAs } from '../parsed-as.ts'
import { connectorTo } from './open-connection.ts'
import type { ServerAddress } from './server-address.ts'
import { refused, unreachable } from './server-error.ts'

/** Time limit for an answer, in milliseconds. Starting a kernel takes longest. */
const answerTimeoutMs = 60_000

/** Longest answer, in bytes. The list of all kernels of a busy server has a few thousand. */
const maxAnswerBytes = 16 * 2 ** 20

/** The id becomes part of paths. */
const kernelSchema = z.object({ id: z.string().regex(/^[\w-]{1,128}$/) })
const specsSchema = z.object({ kernelspecs: z.record(z.string(), z.unknown()) })
const failureSchema = z.object({ message: z.unknown(), reason: z.unknown() })

interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/** Request for a new kernel. */
export interface KernelRequest {
  readonly name: string
  /** Working directory, as a path on the server. */
  readonly path?: string | undefined
  /** Environment variables. A Jupyter Server ignores them; a gateway accepts those that it allows. */
  readonly env?: Readonly<Record<string, string>> | undefined
}

/** Client of the REST interface of a server, for kernels. */
export class RestClient {
  readonly #address: ServerAddress
  /** Loaded with the first request, because a kernel without a server needs none. */
  #http: Promise<{ readonly agent: Agent; readonly request: typeof request }> | undefined
  readonly #closing = new AbortController()

  constructor(address: ServerAddress) {
    this.#address = address
  }

  /** Resolves when the server answers a request that needs its token. */
  async check(signal?: AbortSignal): Promise<void> {
    await this.#call({ method: 'GET', path: 'api/kernelspecs', signal })
  }

  /** @returns the kernel's id. */
  async startKernel({ name, path, env }: KernelRequest): Promise<string> {
    try {
      const answer = await this.#call({ method: 'POST', path: 'api/kernels', body: { name, path, env } })
      const { data: kernel } = kernelSchema.safeParse(answer)
      if (kernel !== undefined) return kernel.id
      throw this.#refused(200, JSON.stringify(answer) ?? '')
    } catch (error) {
      throw (await this.#unknownKernel(name, error)) ?? error
    }
  }

  async interruptKernel(id: string): Promise<void> {
    await this.#call({ method: 'POST', path: `api/kernels/${id}/interrupt` })
  }

  /** Replaces a kernel by an empty one with the same id. */
  async restartKernel(id: string, signal?: AbortSignal): Promise<void> {
    await this.#call({ method: 'POST', path: `api/kernels/${id}/restart`, signal })
  }

  async hasKernel(id: string): Promise<boolean> {
    // This request must not count as activity: a server can end when it is idle.
    const { status } = await this.#send({ method: 'GET', path: `api/kernels/${id}?no_track_activity=1` })
    return status !== 404
  }

  /** Removes a kernel, unless it is already gone. */
  async removeKernel(id: string, signal?: AbortSignal): Promise<void> {
    const { status, text } = await this.#send({ method: 'DELETE', path: `api/kernels/${id}`, signal })
    if (status >= 300 && status !== 404) throw this.#refused(status, messageOf(text))
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await (await this.#http)?.agent.destroy()
  }

  /** The error for an unknown kernel name, which each server reports differently. */
  async #unknownKernel(name: string, cause: unknown): Promise<FencedError | undefined> {
    if (!FencedError.isInstance(cause) || cause.code !== 'JUPYTER_FAILED') return undefined
    const answer = await this.#call({ method: 'GET', path: 'api/kernelspecs' }).catch(() => undefined)
    const specs = specsSchema.safeParse(answer).data?.kernelspecs
    if (specs === undefined || Object.hasOwn(specs, name)) return undefined
    const known = Object.keys(specs).join(', ')
    return new FencedError({
      code: 'KERNEL_NOT_FOUND',
      message: `The Jupyter server at ${this.#address.url.href} has no kernel "${name}". It has ${known || 'none'}. Install the kernel on the server, or set \`kernelName\`.`,
      data: { url: this.#address.url.href, kernel: name, known, option: 'kernelName' },
      cause,
    })
  }

  async #call(call: Call): Promise<unknown> {
    const { status, text } = await this.#send(call)
    if (status >= 300) throw this.#refused(status, messageOf(text))
    if (text === '') return undefined
    const answer = parsedAs(z.json(), text)
    if (answer === undefined) throw this.#refused(status, text)
    return answer
  }

  /** Hides secrets: some servers repeat the request in their answer, with its token and headers. */
  #refused(status: number, answer: string): FencedError {
    const hidden = this.#address.secrets.reduce((text, secret) => text.replaceAll(secret, '[secret]'), answer)
    return refused(this.#address, status, hidden)
  }

  async #connect() {
    const { Agent, request } = await import('undici')
    const agent = new Agent({
      connect: connectorTo(this.#address, this.#closing.signal),
      // No connection is reused: the server could close it just before the next request.
      pipelining: 0,
      headersTimeout: answerTimeoutMs,
      bodyTimeout: answerTimeoutMs,
    })
    return { agent, request }
  }

  async #send({ method, path, body, signal }: Call): Promise<{ status: number; text: string }> {
    const { url, headers } = this.#address
    this.#http ??= this.#connect()
    const { agent, request } = await this.#http
    try {
      const answer = await request(new URL(path, url), {
        method,
        dispatcher: agent,
        headers: { ...headers, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      })
      return { status: answer.statusCode, text: await boundedText(answer.body) }
    } catch (error) {
      signal?.throwIfAborted()
      throw unreachable(url, error)
    }
  }
}

/** @throws Error when the answer is too long. */
async function boundedText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let byteCount = 0
  for await (const chunk of body) {
    byteCount += chunk.length
    if (byteCount > maxAnswerBytes) throw new Error(`its answer is longer than ${maxAnswerBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Message of an answer: servers send JSON, proxies send pages. */
function messageOf(text: string): string {
  const { message, reason } = parsedAs(failureSchema, text) ?? {}
  return String(message ?? reason ?? text)
}
