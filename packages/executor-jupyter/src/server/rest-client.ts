import { FencedError } from '@fenced/core'
import { Agent, request } from 'undici'
import { connectorTo } from './open-connection.ts'
import type { ServerAddress } from './server-address.ts'
import { refused, unreachable } from './server-error.ts'

/** How long a server may take for an answer, in milliseconds. Starting a kernel is the longest. */
const answerTimeoutMs = 60_000

/** The longest answer that is read, in bytes: the list of all kernels of a busy server is a few thousand. */
const maxAnswerBytes = 16 * 2 ** 20

interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/** A kernel that a server is asked for. */
export interface KernelRequest {
  readonly name: string
  /** Its directory, as the server calls it. */
  readonly path?: string | undefined
  /** Its variables. A Jupyter Server ignores them; a gateway takes those that it allows. */
  readonly env?: Readonly<Record<string, string>> | undefined
}

/** The part of a server's REST interface that kernels need. */
export class RestClient {
  readonly #address: ServerAddress
  readonly #agent: Agent
  readonly #closing = new AbortController()

  constructor(address: ServerAddress) {
    this.#address = address
    this.#agent = new Agent({
      connect: connectorTo(address, this.#closing.signal),
      // A connection for each request: one that is kept may be closed at the moment in which it is used again.
      pipelining: 0,
      headersTimeout: answerTimeoutMs,
      bodyTimeout: answerTimeoutMs,
    })
  }

  /** Resolves when the server answers a question that needs its token. */
  async check(signal?: AbortSignal): Promise<void> {
    await this.#call({ method: 'GET', path: 'api/kernelspecs', signal })
  }

  /** @returns the kernel's id. */
  async startKernel({ name, path, env }: KernelRequest): Promise<string> {
    try {
      const kernel = await this.#call({ method: 'POST', path: 'api/kernels', body: { name, path, env } })
      const { id } = (kernel ?? {}) as { id?: unknown }
      if (typeof id === 'string' && isKernelId(id)) return id
      throw this.#refused(200, JSON.stringify(kernel) ?? '')
    } catch (error) {
      throw (await this.#unknownKernel(name, error)) ?? error
    }
  }

  async interruptKernel(id: string): Promise<void> {
    await this.#call({ method: 'POST', path: `api/kernels/${id}/interrupt` })
  }

  /** Replaces it by an empty kernel with the same id. */
  async restartKernel(id: string, signal?: AbortSignal): Promise<void> {
    await this.#call({ method: 'POST', path: `api/kernels/${id}/restart`, signal })
  }

  /** Whether the server still knows it. */
  async hasKernel(id: string): Promise<boolean> {
    // A server may end when nobody is active, and this is not.
    const { status } = await this.#send({ method: 'GET', path: `api/kernels/${id}?no_track_activity=1` })
    return status !== 404
  }

  /** One that is not there any more counts as removed. */
  async removeKernel(id: string, signal?: AbortSignal): Promise<void> {
    const { status, text } = await this.#send({ method: 'DELETE', path: `api/kernels/${id}`, signal })
    if (status >= 300 && status !== 404) throw this.#refused(status, messageOf(text))
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#agent.destroy()
  }

  /** Servers answer an unknown name with an error of their own, each another one. */
  async #unknownKernel(name: string, cause: unknown): Promise<FencedError | undefined> {
    if (!FencedError.isInstance(cause) || cause.code !== 'JUPYTER_FAILED') return undefined
    const specs = await this.#call({ method: 'GET', path: 'api/kernelspecs' }).catch(() => undefined)
    const { kernelspecs } = (specs ?? {}) as { kernelspecs?: object }
    const names = Object.keys(kernelspecs ?? {})
    if (kernelspecs === undefined || names.includes(name)) return undefined
    const known = names.join(', ')
    return new FencedError({
      code: 'KERNEL_NOT_FOUND',
      message: `The Jupyter server at ${this.#address.url.href} has no kernel "${name}". It has ${known || 'none'}. Install one there, or give another \`kernelName\`.`,
      data: { url: this.#address.url.href, kernel: name, known, option: 'kernelName' },
      cause,
    })
  }

  async #call(call: Call): Promise<unknown> {
    const { status, text } = await this.#send(call)
    if (status >= 300) throw this.#refused(status, messageOf(text))
    try {
      return text === '' ? undefined : JSON.parse(text)
    } catch {
      throw this.#refused(status, text)
    }
  }

  /** There are servers that repeat what they were sent, the token and headers included. */
  #refused(status: number, answer: string): FencedError {
    const hidden = this.#address.secrets.reduce((text, secret) => text.replaceAll(secret, '[secret]'), answer)
    return refused(this.#address, status, hidden)
  }

  async #send({ method, path, body, signal }: Call): Promise<{ status: number; text: string }> {
    const { url, headers } = this.#address
    try {
      const answer = await request(new URL(path, url), {
        method,
        dispatcher: this.#agent,
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

/** It becomes a part of a path, and a server may send anything. */
function isKernelId(id: string): boolean {
  return /^[\w-]{1,128}$/.test(id)
}

/** @throws Error when it is longer than an answer can be. */
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

/** Servers put their words into JSON, proxies into pages. */
function messageOf(text: string): string {
  try {
    const { message, reason } = JSON.parse(text)
    return String(message ?? reason ?? text)
  } catch {
    return text
  }
}
