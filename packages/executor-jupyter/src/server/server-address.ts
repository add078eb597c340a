import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseOptions } from '@fenced/core/driver'
import {
  type JupyterConnection,
  jupyterConnectionInfoSchema,
  type OpenConnection,
} from './connection-info.ts'

/** The length of the shortest value that counts as a secret: a message can have a shorter one by chance. */
const shortestSecret = 4

/** A connection, taken apart. */
export interface ServerAddress {
  /** `http://127.0.0.1:8888/user/ann/`: ends with a slash. */
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** The token in the headers; empty without a token. */
  readonly token: string
  /** Values that no message may repeat. */
  readonly secrets: readonly string[]
  readonly ca: string | undefined
  /** The way to it, where that is not a network. */
  readonly open: OpenConnection | undefined
}

export function serverAddress({ open, ...info }: JupyterConnection): ServerAddress {
  const {
    host,
    port,
    useHttps,
    token = '',
    headers = {},
    baseUrl,
    caFile,
  } = parseOptions(jupyterConnectionInfoSchema, info, 'a Jupyter server')
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  const url = new URL(`${useHttps ? 'https' : 'http'}://${name}${port === undefined ? '' : `:${port}`}`)
  url.pathname = `/${baseUrl.replace(/^\/+|\/+$/g, '')}/`.replace('//', '/')
  const secrets = [token, ...Object.values(headers)].filter(({ length }) => length >= shortestSecret)
  const ca = caFile === undefined ? undefined : readFileSync(caFile, 'utf8')
  return { url, headers: requestHeaders(token, headers), token, secrets, ca, open }
}

/** Uses headers, because servers and proxies log addresses. */
function requestHeaders(token: string, given: Readonly<Record<string, string>>): Record<string, string> {
  const headers = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]),
  )
  return token === '' ? withXsrf(headers) : { ...headers, authorization: `token ${token}` }
}

/**
 * Without a token, a Jupyter Server expects the same value in a cookie and in a header, because a page of another site cannot send both.
 * Any value works, so no request is needed to get one.
 */
function withXsrf({ cookie, ...headers }: Record<string, string>): Record<string, string> {
  const [, known] = /(?:^|;)\s*_xsrf=([^;]*)/.exec(cookie ?? '') ?? []
  const xsrf = known ?? randomBytes(16).toString('hex')
  const cookies = known === undefined ? [cookie, `_xsrf=${xsrf}`] : [cookie]
  return { 'x-xsrftoken': xsrf, ...headers, cookie: cookies.filter((part) => part !== undefined).join('; ') }
}
