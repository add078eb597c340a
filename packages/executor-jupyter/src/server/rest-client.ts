import { FencedError } from '@fenced/core'
import { Agent, request } from 'undici'
import type { ServerAddress } from './server-address.ts'
import { refused, unreachable } from './server-error.ts'

/** How long a server may take for an answer, in milliseconds. Starting a kernel is the longest. */
const answerTimeoutMs = 60_000

interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/** The part of a server's REST interface that kernels need. */
export class RestClient {
  readonly #address: ServerAddress
  readonly #agent: Agent

  constructor(address: ServerAddress) {
    this.#address = address
    this.#agent = new Agent({
      connect: address.ca === undefined ? {} : { ca: address.ca },
      headersTimeout: answerTimeoutMs,
      bodyTimeout: answerTimeoutMs,
    })
  }

  /** Resolves when the server answers a question that needs its token. */
  async check(signal?: AbortSignal): Promise<void> {
    await this.#call({ method: 'GET', path: 'api/kernelspecs', signal })
  }

  /** @returns the kernel's id. */
  async startKernel(name: string, path: string | undefined, signal?: AbortSignal): Promise<string> {
    try {
      const kernel = await this.#call({ method: 'POST', path: 'api/kernels', body: { name, path }, signal })
      return String((kernel as { id?: unknown }).id)
    } catch (error) {
      throw (await this.#unknownKernel(name, error)) ?? error
    }
  }

  async interruptKernel(id: string): Promise<void> {
    await this.#call({ method: 'POST', path: `api/kernels/${id}/interrupt` })
  }

  /** One that is not there any more counts as removed. */
  async removeKernel(id: string): Promise<void> {
    const { status, text } = await this.#send({ method: 'DELETE', path: `api/kernels/${id}` })
    if (status >= 300 && status !== 404) throw refused(this.#address.url, status, messageOf(text))
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }

  /** Servers answer an unknown name with an error of their own, each another one. */
  async #unknownKernel(name: string, cause: unknown): Promise<FencedError | undefined> {
    if (!(cause instanceof FencedError) || cause.code !== 'JUPYTER_FAILED') return undefined
    const specs = await this.#call({ method: 'GET', path: 'api/kernelspecs' }).catch(() => undefined)
    const names = Object.keys((specs as { kernelspecs?: object } | undefined)?.kernelspecs ?? {})
    if (specs === undefined || names.includes(name)) return undefined
    return new FencedError({
      code: 'KERNEL_NOT_FOUND',
      message: `The Jupyter server at ${this.#address.url.href} has no kernel "${name}". It has ${names.join(', ') || 'none'}. Install one there, or give another \`kernelName\`.`,
      cause,
    })
  }

  async #call(call: Call): Promise<unknown> {
    const { url } = this.#address
    const { status, text } = await this.#send(call)
    if (status >= 300) throw refused(url, status, messageOf(text))
    try {
      return text === '' ? undefined : JSON.parse(text)
    } catch {
      throw refused(url, status, text)
    }
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
      return { status: answer.statusCode, text: await answer.body.text() }
    } catch (error) {
      signal?.throwIfAborted()
      throw unreachable(url, error)
    }
  }
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
