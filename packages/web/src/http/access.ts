import { createHash, timingSafeEqual } from 'node:crypto'
import { z } from '@fenced/core/zod'
import type { MiddlewareHandler } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { Problem } from '../problem.ts'
import { bodyOf } from './body.ts'

/** Any other token is a wrong one. */
const session = z.looseObject({ token: z.unknown() })

const loopback = ['localhost', '127.0.0.1', '[::1]']

/**
 * Allows requests with the token, from a page of this server only. A site whose name resolves to this machine (DNS rebinding)
 * sends a different `Host`; a site that submits a form or a request sends a different `Origin`.
 */
export class Access {
  readonly #token: string
  readonly #hosts: ReadonlySet<string>
  readonly #cookie: { readonly name: string; readonly value: string }

  constructor({
    token,
    hosts = [],
  }: { readonly token: string; readonly hosts?: readonly string[] | undefined }) {
    this.#token = token
    this.#hosts = new Set([...loopback, ...hosts.map((host) => host.toLowerCase())])
    // Cookies know no ports: two servers of a machine have cookies of two names.
    this.#cookie = { name: `fenced-${digest('name', token).slice(0, 12)}`, value: digest('value', token) }
  }

  /** For every request. */
  readonly fromHere: MiddlewareHandler = async ({ req }, next) => {
    const host = req.header('host')?.toLowerCase() ?? ''
    if (!this.#hosts.has(host.replace(/:\d+$/, '')))
      throw new Problem(421, 'This server is not reached under this name: `hosts` is the option for it.')
    const origin = req.header('origin')
    if (origin !== undefined && URL.parse(origin)?.host !== host)
      throw new Problem(403, 'Only this server’s page may send requests.')
    const site = req.header('sec-fetch-site') ?? 'none'
    const isOpened = req.header('sec-fetch-mode') === 'navigate' && req.path === '/'
    if (site !== 'same-origin' && site !== 'none' && !isOpened)
      throw new Problem(403, 'Only this server’s page may send requests.')
    await next()
  }

  /** For everything but the page itself. */
  readonly withCookie: MiddlewareHandler = async (context, next) => {
    const { name, value } = this.#cookie
    if (!same(getCookie(context, name) ?? '', value))
      throw new Problem(401, 'Open the page with the address that the server has printed: it has the token.')
    await next()
  }

  /** Gives a cookie for the token. */
  readonly exchange: MiddlewareHandler = async (context) => {
    const { token } = await bodyOf(context, session)
    if (typeof token !== 'string' || !same(digest('token', token), digest('token', this.#token)))
      throw new Problem(401, 'This is not the token of this server: open the address that it has printed.')
    const { name, value } = this.#cookie
    const secure = new URL(context.req.url).protocol === 'https:'
    setCookie(context, name, value, { httpOnly: true, sameSite: 'Strict', path: '/', secure })
    return context.body(null, 204)
  }
}

function digest(use: string, token: string): string {
  return createHash('sha256').update(`fenced ${use} ${token}`).digest('hex')
}

/** In a time that does not tell where they differ. */
function same(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
