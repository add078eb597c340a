import type { RequestOptions } from 'node:http'
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls'
import { FencedError } from '@fenced/core'
import { errorMessage } from '@fenced/errors'
import { untilAborted } from '@fenced/shared'
import { isAnswer } from './api-error.ts'
import type { Credentials } from './credentials.ts'

/** A request that is sent with credentials. */
interface Authorized {
  /** So that it reads on after "returned an error while": `creating a pod`. */
  readonly doing: string
  readonly signal: AbortSignal
}

/** What requests get from the credentials. */
interface Applied {
  readonly options: Promise<RequestOptions>
  /** How often they had been read again. */
  readonly renewals: number
  /** On the clock of `performance.now`. */
  until: number
}

/** How long credentials are used again, in milliseconds: reading them takes as long as all else of a request. */
const credentialsMs = 1_000

/** How long a plugin that says who we are is waited for by all requests, before the next one starts it again, in milliseconds. */
const pluginMs = 60_000

/** Sends requests with credentials, which are used for a while and read again after a refusal. */
export class Authorization {
  readonly #credentials: Credentials
  #applied: Applied | undefined
  #renewals = 0
  #tls: { readonly of: string; readonly context: SecureContext } | undefined

  constructor(credentials: Credentials) {
    this.#credentials = credentials
  }

  /** Does it once more with credentials that were read again, where the server does not accept those that we have. */
  async send<Result>(
    request: Authorized,
    act: (options: RequestOptions) => Promise<Result>,
  ): Promise<Result> {
    const applied = this.#apply()
    try {
      return await act(await this.#optionsOf(applied, request))
    } catch (error) {
      if (!isAnswer(error, 401)) throw error
    }
    // Once for all requests that were refused.
    if (this.#renewals === applied.renewals) {
      this.#renewals++
      this.#credentials.renew()
      this.#applied = undefined
    }
    return act(await this.#optionsOf(this.#apply(), request))
  }

  #apply(): Applied {
    if (this.#applied !== undefined && performance.now() < this.#applied.until) return this.#applied
    const applied: Applied = {
      options: this.#readOptions(),
      renewals: this.#renewals,
      until: performance.now() + pluginMs,
    }
    applied.options.then(
      () => {
        applied.until = performance.now() + credentialsMs
      },
      () => {
        applied.until = 0
      },
    )
    this.#applied = applied
    return applied
  }

  async #optionsOf({ options }: Applied, { doing, signal }: Authorized): Promise<RequestOptions> {
    try {
      const { headers, ...others } = await untilAborted(options, signal)
      return { ...others, headers: { ...headers } }
    } catch (error) {
      signal.throwIfAborted()
      if (FencedError.isInstance(error)) throw error
      const { server } = this.#credentials
      throw new FencedError({
        code: 'CLUSTER_FORBIDDEN',
        message: `The credentials for ${server} could not be read while ${doing}: ${errorMessage(error)}. Check them with \`kubectl get pods\`.`,
        data: { cluster: server, reason: errorMessage(error), command: 'kubectl get pods' },
        cause: error,
      })
    }
  }

  async #readOptions(): Promise<RequestOptions> {
    const options: RequestOptions & SecureContextOptions = {}
    await this.#credentials.apply(options)
    return { ...options, ...this.#secureContext(options) }
  }

  /** Made once of the same certificates: Node would read them for every connection, which takes longer than its handshake. */
  #secureContext({ ca, cert, key, pfx, passphrase }: SecureContextOptions): {
    readonly secureContext?: SecureContext
  } {
    if (!this.#credentials.server.startsWith('https:')) return {}
    const of = JSON.stringify([ca, cert, key, pfx, passphrase])
    if (this.#tls?.of !== of) {
      this.#tls = { of, context: createSecureContext({ ca, cert, key, pfx, passphrase }) }
    }
    return { secureContext: this.#tls.context }
  }
}
