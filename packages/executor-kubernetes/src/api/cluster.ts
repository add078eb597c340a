import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls'
import { FencedError } from '@fenced/core'
import { errorMessage } from '@fenced/core/internal'
import { WebSocket } from 'ws'
import { opened, readAnswer } from './api-answer.ts'
import { ApiAnswerError, apiError, unreachable } from './api-error.ts'
import type { ClusterOptions } from './cluster-options.ts'
import { trustPlugin } from './credential-plugin.ts'

/** A request to the API server. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
  /** So that it reads on after "failed while": `making a pod`. */
  readonly doing: string
  readonly signal: AbortSignal
}

/** A request for a websocket. */
interface ConnectRequest extends Pick<ApiRequest, 'path' | 'doing' | 'signal'> {
  readonly query: string
}

/** What the client of Kubernetes is used for: finding the cluster, and who we are there. */
interface Credentials {
  readonly server: string
  readonly namespace: string | undefined
  apply(options: RequestOptions): Promise<void>
}

/** How long credentials are used again, in milliseconds: reading them takes as long as all else of a request. */
const credentialsMs = 1_000

/** How long the API server may take to answer, in milliseconds. */
const answerLimitMs = 30_000

/** An API server, and who we are there. */
export class Cluster {
  /** Its address, for messages. */
  readonly server: string
  /** The one of the context. */
  readonly namespace: string
  readonly #credentials: Credentials
  #applied: { readonly options: RequestOptions; readonly until: number } | undefined
  #tls: { readonly of: string; readonly context: SecureContext } | undefined

  private constructor(credentials: Credentials) {
    this.server = credentials.server
    this.namespace = credentials.namespace ?? 'default'
    this.#credentials = credentials
  }

  /**
   * Reads where the cluster is; it is not asked yet.
   *
   * @throws FencedError `CLUSTER_NOT_FOUND`.
   */
  static async find(options: ClusterOptions = {}): Promise<Cluster> {
    try {
      return new Cluster(await readCredentials(options))
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
  async ask<Answer>(request: ApiRequest): Promise<Answer> {
    const { doing, signal } = request
    signal.throwIfAborted()
    try {
      return (await this.#send(request)) as Answer
    } catch (error) {
      signal.throwIfAborted()
      throw apiError(error, doing, this.server)
    }
  }

  /** As {@link ask}; `undefined` for what is not there. */
  async find<Answer>(request: ApiRequest): Promise<Answer | undefined> {
    try {
      return await this.ask<Answer>(request)
    } catch (error) {
      if (FencedError.isInstance(error) && isNotFound(error.cause)) return undefined
      throw error
    }
  }

  /**
   * Opens a websocket, which is paused. It has no listeners yet but one for errors.
   *
   * @throws FencedError, and the reason of the signal.
   */
  async connect({ path, query, doing, signal }: ConnectRequest): Promise<WebSocket> {
    signal.throwIfAborted()
    const url = new URL(`${this.server.replace(/\/$/, '')}${path}?${query}`)
    url.protocol = url.protocol === 'http:' ? 'ws:' : 'wss:'
    const options = await this.#requestOptions(doing)
    const socket = new WebSocket(url, ['v5.channel.k8s.io', 'v4.channel.k8s.io'], {
      ...(options as object),
      handshakeTimeout: answerLimitMs,
      perMessageDeflate: false,
      followRedirects: false,
      maxPayload: 64 * 2 ** 20,
    })
    const onAbort = () => socket.terminate()
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      await opened(socket)
      socket.on('error', () => {})
      return socket
    } catch (error) {
      socket.on('error', () => {})
      socket.terminate()
      signal.throwIfAborted()
      throw apiError(error, doing, this.server)
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  async #requestOptions(doing: string): Promise<RequestOptions> {
    if (this.#applied === undefined || this.#applied.until < performance.now()) {
      const options: RequestOptions & SecureContextOptions = {}
      try {
        await this.#credentials.apply(options)
      } catch (error) {
        throw new FencedError({
          code: 'CLUSTER_FORBIDDEN',
          message: `The credentials for ${this.server} could not be read while ${doing}: ${errorMessage(error)}. See with \`kubectl get pods\` whether they work.`,
          data: { cluster: this.server, reason: errorMessage(error), command: 'kubectl get pods' },
          cause: error,
        })
      }
      const secureContext = this.#secureContext(options)
      this.#applied = { options: { ...options, ...secureContext }, until: performance.now() + credentialsMs }
    }
    const { options } = this.#applied
    return { ...options, headers: { ...options.headers } }
  }

  /** Made once of the same certificates: Node would read them for every connection, which takes longer than its handshake. */
  #secureContext({ ca, cert, key, pfx, passphrase }: SecureContextOptions): {
    readonly secureContext?: SecureContext
  } {
    if (!this.server.startsWith('https:')) return {}
    const of = JSON.stringify([ca, cert, key, pfx, passphrase])
    if (this.#tls?.of !== of) {
      this.#tls = { of, context: createSecureContext({ ca, cert, key, pfx, passphrase }) }
    }
    return { secureContext: this.#tls.context }
  }

  async #send({ method, path, query = {}, body, doing, signal }: ApiRequest): Promise<unknown> {
    const url = new URL(`${this.server.replace(/\/$/, '')}${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const limit = AbortSignal.timeout(answerLimitMs)
    const applied = await this.#requestOptions(doing)
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const ofContent = content && { 'Content-Type': type, 'Content-Length': content.length }
    const options = {
      ...applied,
      method,
      signal: AbortSignal.any([signal, limit]),
      headers: { ...applied.headers, Accept: 'application/json', ...ofContent },
    }
    try {
      const request = (url.protocol === 'http:' ? httpRequest : httpsRequest)(url, options)
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

async function readCredentials({ kubeconfig, context }: ClusterOptions): Promise<Credentials> {
  // Half a second to load, which only those pay who start one.
  const { KubeConfig } = await import('@kubernetes/client-node')
  const config = new KubeConfig()
  if (kubeconfig === undefined) config.loadFromDefault()
  else config.loadFromFile(kubeconfig)
  if (context !== undefined) {
    if (config.getContextObject(context) === null) {
      const names = config.getContexts().map(({ name }) => name)
      throw new Error(`it has no context ${context}, only ${names.join(', ') || 'none'}`)
    }
    config.setCurrentContext(context)
  }
  const cluster = config.getCurrentCluster()
  if (cluster === null) throw new Error('its current context names no cluster')
  // Without any configuration the client makes one up.
  if (kubeconfig === undefined && cluster.name === 'cluster' && cluster.server === 'http://localhost:8080')
    throw new Error('there is neither a kubeconfig nor the service account of a pod')
  return {
    server: cluster.server,
    namespace: config.getContextObject(config.getCurrentContext())?.namespace,
    apply: (options) => {
      trustPlugin(config.getCurrentUser())
      return config.applyToHTTPSOptions(options)
    },
  }
}

function notFound({ kubeconfig }: ClusterOptions, cause: unknown): FencedError {
  const where = kubeconfig ?? process.env.KUBECONFIG ?? '~/.kube/config'
  return new FencedError({
    code: 'CLUSTER_NOT_FOUND',
    message: `No cluster could be read from ${where}: ${errorMessage(cause)}. Check the \`cluster\` option and KUBECONFIG; \`kubectl config get-contexts\` shows what there is.`,
    data: { path: where, reason: errorMessage(cause), option: 'cluster' },
    cause,
  })
}

function isNotFound(cause: unknown): boolean {
  return cause instanceof ApiAnswerError && cause.status === 404
}
