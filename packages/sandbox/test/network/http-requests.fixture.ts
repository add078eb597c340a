/** One request as a host reads it. */
interface ReadRequest {
  readonly method: string
  readonly target: string
  /** The value of `Host`. */
  readonly host: string
  readonly body: string
}

/** Every complete request of a connection, and the bytes after the last one. */
export interface ReadConnection {
  readonly requests: readonly ReadRequest[]
  readonly rest: string
  /** Why the rest is not the beginning of a request that a client may send. */
  readonly problem?: string
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const requestLine = new RegExp(`^(${token}) ([!-~]+) HTTP/1\\.1$`)
const headerLine = new RegExp(`^(${token}):[ \\t]*([\\t -~\\x80-\\xff]*?)[ \\t]*$`)
const chunkLine = new RegExp(`^([0-9A-Fa-f]+)(?:;${token}(?:=(?:${token}|"[^"]*"))?)*$`)

/**
 * Reads a connection by RFC 9112, strictly, as a host that ignores `Connection: close`: all further bytes are another request.
 * Shares no code with the parser of Node, which the proxy uses.
 */
export function readRequests(bytes: Buffer): ReadConnection {
  const reader = new Reader(bytes.toString('latin1'))
  const requests: ReadRequest[] = []
  let begin = 0
  try {
    for (;;) {
      const request = readRequest(reader)
      if (request === undefined) return { requests, rest: reader.text.slice(begin) }
      requests.push(request)
      begin = reader.at
    }
  } catch (error) {
    return { requests, rest: reader.text.slice(begin), problem: `${error}` }
  }
}

function readRequest(reader: Reader): ReadRequest | undefined {
  const first = reader.line()
  if (first === undefined) return undefined
  const [, method, target] = requestLine.exec(first) ?? []
  if (method === undefined || target === undefined)
    throw new Error(`no request line: ${JSON.stringify(first)}`)
  const headers = readHeaders(reader)
  if (headers === undefined) return undefined
  const valuesOf = (name: string) => headers.filter(([each]) => each === name).map(([, value]) => value)
  const [host, ...others] = valuesOf('host')
  if (host === undefined || others.length > 0) throw new Error(`not one Host: ${first}`)
  const body = readBody(reader, valuesOf('content-length'), valuesOf('transfer-encoding'))
  return body === undefined ? undefined : { method, target, host, body }
}

function readHeaders(reader: Reader): (readonly [string, string])[] | undefined {
  const headers: (readonly [string, string])[] = []
  for (;;) {
    const line = reader.line()
    if (line === undefined) return undefined
    if (line === '') return headers
    const [, name, value] = headerLine.exec(line) ?? []
    if (name === undefined || value === undefined) throw new Error(`no header: ${JSON.stringify(line)}`)
    headers.push([name.toLowerCase(), value])
  }
}

/** RFC 9112, 6.3. */
function readBody(
  reader: Reader,
  lengths: readonly string[],
  codings: readonly string[],
): string | undefined {
  if (codings.length === 0) {
    const [length = '0'] = lengths
    if (lengths.length > 1 || !/^\d+$/.test(length)) throw new Error(`Content-Length: ${lengths}`)
    return reader.take(Number(length))
  }
  if (lengths.length > 0 || codings.length > 1 || codings[0]?.toLowerCase() !== 'chunked')
    throw new Error(`Transfer-Encoding: ${codings}, Content-Length: ${lengths}`)
  let body = ''
  for (;;) {
    const line = reader.line()
    if (line === undefined) return undefined
    const size = Number.parseInt(chunkLine.exec(line)?.[1] ?? '', 16)
    if (Number.isNaN(size)) throw new Error(`no chunk: ${JSON.stringify(line)}`)
    if (size === 0) return readHeaders(reader) && body
    const chunk = reader.take(size + 2)
    if (chunk === undefined) return undefined
    if (!chunk.endsWith('\r\n')) throw new Error('a chunk without an end')
    body += chunk.slice(0, -2)
  }
}

class Reader {
  readonly text: string
  at = 0

  constructor(text: string) {
    this.text = text
  }

  /** `undefined` while it is not whole, as for `take`. */
  line(): string | undefined {
    const end = this.text.indexOf('\r\n', this.at)
    return end === -1 ? undefined : this.take(end + 2 - this.at)?.slice(0, -2)
  }

  take(length: number): string | undefined {
    if (this.at + length > this.text.length) return undefined
    this.at += length
    return this.text.slice(this.at - length, this.at)
  }
}
