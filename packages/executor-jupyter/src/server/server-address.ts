import {
  type JupyterConnection,
  jupyterConnectionInfoSchema,
  type OpenConnection,
} from './connection-info.ts'

/** A connection, taken apart. */
export interface ServerAddress {
  /** `http://127.0.0.1:8888/user/ann/`: ends with a slash. */
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** As it stands in the headers; empty where there is none. */
  readonly token: string
  readonly ca: string | undefined
  /** The way to it, where that is not a network. */
  readonly open: OpenConnection | undefined
}

export function serverAddress({ open, ...info }: JupyterConnection): ServerAddress {
  const { host, port, useHttps, token = '', baseUrl, ca } = jupyterConnectionInfoSchema.parse(info)
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  const url = new URL(`${useHttps ? 'https' : 'http'}://${name}${port === undefined ? '' : `:${port}`}`)
  url.pathname = `/${baseUrl.replace(/^\/+|\/+$/g, '')}/`.replace('//', '/')
  // In a header and not in the address: addresses stand in the logs of servers and proxies.
  return { url, headers: token === '' ? {} : { authorization: `token ${token}` }, token, ca, open }
}
