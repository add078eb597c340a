import { once } from 'node:events'
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { FencedError } from '@fenced/core'
import { z } from '@fenced/core/zod'
import { errorMessage } from '@fenced/errors'
import { shortened } from '@fenced/errors/text'
import { afterTime, nodeHttp, onAbort } from '@fenced/shared'
import { WebSocket } from 'ws'
import { opened, readAnswer } from './api-answer.ts'
import { ApiAnswerError, apiError, isAnswer, unreachable } from './api-error.ts'
import { Authorization } from './authorization.ts'
import type { ClusterOptions } from './cluster-options.ts'
import { Credentials } from './credentials.ts'

/** A request to the API server. */
export interface ApiRequest<Answer = unknown> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
  /** So that it reads on after "returned an error while": `creating a pod`. */
  readonly doing: string
  readonly signal: AbortSignal
  /**
   * Checks the answer; of a list, each item.
   *
   * @default any answer
   */
  readonly answer?: z.ZodType<Answer>
}

type ListRequest<Item> = Omit<ApiRequest<Item>, 'method' | 'answer'> & {
  readonly answer: z.ZodType<Item>
}

interface ConnectRequest extends Pick<ApiRequest, 'path' | 'doing' | 'signal'> {
  readonly query: string
}

/** How long the API server may take to answer, in milliseconds. */
const answerLimitMs = 30_000

/** How long a connection to it may take, in milliseconds: a network that loses every packet says nothing. */
const connectLimitMs = 10_000

/** An API server, and who we are there. */
export class Cluster {
  /** Its address, for messages. */
  readonly server: string
  /** The one of the context. */
  readonly namespace: string
  /** Whether it is the cluster of the pod in which this program runs, by the service account of that pod; its namespace is {@link namespace}. */
  readonly isOfPod: boolean
  readonly #authorization: Authorization

  private constructor(credentials: Credentials) {
    this.server = credentials.server
    this.namespace = credentials.namespace ?? 'default'
    this.isOfPod = credentials.isOfPod
    this.#authorization = new Authorization(credentials)
  }

  /**
   * Reads where the cluster is; it is not asked yet.
   *
   * @throws FencedError `CLUSTER_NOT_FOUND`.
   */
  static async find(options: ClusterOptions = {}): Promise<Cluster> {
    try {
      return new Cluster(new Credentials(options))
    } catch (error) {
      if (FencedError.isInstance(error)) throw error
      throw notFound(options, error)
    }
  }

  /**
   * Asks for something and returns the answer.
   *
   * @throws FencedError, and the reason of the signal.
   */
  async ask<Answer = unknown>(request: ApiRequest<Answer>): Promise<Answer> {
    const { doing, signal, answer = z.custom<Answer>() } = request
    signal.throwIfAborted()
    try {
      return checked(
        await this.#authorization.send(request, (options) => this.#send(request, options)),
        answer,
      )
    } catch (error) {
      signal.throwIfAborted()
      throw apiError(error, doing, this.server)
    }
  }

  /** As {@link ask}; `undefined` for what is not there. */
  async find<Answer = unknown>(request: ApiRequest<Answer>): Promise<Answer | undefined> {
    try {
      return await this.ask(request)
    } catch (error) {
      if (FencedError.isInstance(error) && isAnswer(error.cause, 404)) return undefined
      throw error
    }
  }

  /** As {@link ask}, for a list. */
  async list<Item>({ answer, ...request }: ListRequest<Item>): Promise<readonly Item[]> {
    return (await this.ask({ ...request, method: 'GET', answer: listOf(answer) })).items
  }

  /** As {@link list}; `undefined` where there are no objects of that kind. */
  async findList<Item>({ answer, ...request }: ListRequest<Item>): Promise<readonly Item[] | undefined> {
    return (await this.find({ ...request, method: 'GET', answer: listOf(answer) }))?.items
  }

  /**
   * Opens a websocket, which is paused. It has no listeners yet but one for errors.
   *
   * @throws FencedError, and the reason of the signal.
   */
  async connect(request: ConnectRequest): Promise<WebSocket> {
    const { doing, signal } = request
    signal.throwIfAborted()
    try {
      return await this.#authorization.send(request, (options) => this.#open(request, options))
    } catch (error) {
      signal.throwIfAborted()
      throw apiError(error, doing, this.server)
    }
  }

  async #open({ path, query, signal }: ConnectRequest, options: RequestOptions): Promise<WebSocket> {
    const url = new URL(`${this.server.replace(/\/$/, '')}${path}?${query}`)
    url.protocol = url.protocol === 'http:' ? 'ws:' : 'wss:'
    const socket = new WebSocket(url, ['v5.channel.k8s.io', 'v4.channel.k8s.io'], {
      ...(options as object),
      handshakeTimeout: answerLimitMs,
      finishRequest: (request) => withinLimit(request).end(),
      perMessageDeflate: false,
      followRedirects: false,
      maxPayload: 64 * 2 ** 20,
    })
    using _ = onAbort(signal, () => socket.terminate())
    try {
      await opened(socket)
      socket.on('error', () => {})
      return socket
    } catch (error) {
      socket.on('error', () => {})
      socket.terminate()
      throw error
    }
  }

  async #send(
    { method, path, query = {}, body, doing, signal }: ApiRequest,
    applied: RequestOptions,
  ): Promise<unknown> {
    const url = new URL(`${this.server.replace(/\/$/, '')}${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const limit = AbortSignal.timeout(answerLimitMs)
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const ofContent = content && { 'Content-Type': type, 'Content-Length': content.length }
    const options = {
      ...applied,
      method,
      signal: AbortSignal.any([signal, limit]),
      headers: { ...applied.headers, Accept: 'application/json', ...ofContent },
    }
    try {
      const request = withinLimit(
        (url.protocol === 'http:' ? nodeHttp().request : httpsRequest)(url, options),
      )
      request.end(content)
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      return await readAnswer(response)
    } catch (error) {
      if (!limit.aborted) throw error
      const words = `no answer to ${method} ${path} within ${answerLimitMs / 1_000} seconds`
      const values = { request: `${method} ${path}`, limitMs: String(answerLimitMs) }
      throw unreachable({ server: this.server, words, values, doing, cause: error })
    }
  }
}

function notFound({ kubeconfig }: ClusterOptions, cause: unknown): FencedError {
  const where = kubeconfig ?? process.env.KUBECONFIG ?? '~/.kube/config'
  return new FencedError({
    code: 'CLUSTER_NOT_FOUND',
    message: `No cluster could be read from ${where}: ${errorMessage(cause)}. Check the \`cluster\` option and KUBECONFIG; \`kubectl config get-contexts\` lists the contexts.`,
    data: { path: where, reason: errorMessage(cause), option: 'cluster' },
    cause,
  })
}

function listOf<Item>(item: z.ZodType<Item>) {
  return z.object({ items: z.array(item) })
}

/** @throws ApiAnswerError for another answer: a proxy on the way may have given it. */
function checked<Answer>(answer: unknown, schema: z.ZodType<Answer>): Answer {
  const parsed = schema.safeParse(answer)
  if (parsed.success) return parsed.data
  throw new ApiAnswerError(200, {
    message: shortened(z.prettifyError(parsed.error).replaceAll('\n', ' '), 500),
  })
}

/** Ends a request whose connection takes too long. */
function withinLimit(request: ClientRequest): ClientRequest {
  return request.once('socket', (socket: Socket | TLSSocket) => {
    const isSecure = 'secureConnecting' in socket
    if (!socket.connecting && !(isSecure && socket.secureConnecting)) return
    const words = `no connection within ${connectLimitMs / 1_000} seconds`
    const limit = afterTime(connectLimitMs, () => socket.destroy(new Error(words)))
    const end = () => limit[Symbol.dispose]()
    socket.once(isSecure ? 'secureConnect' : 'connect', end).once('close', end)
  })
}
