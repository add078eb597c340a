import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { Random } from './random.ts'

/** A server on the loopback interface, and one of its good requests. */
export interface AttackedServer {
  readonly port: number
  /** Paths of the server, with which some targets begin. */
  readonly paths: readonly string[]
  /** Header fields of a client with all rights. */
  readonly fields: Readonly<Record<string, string>>
}

/**
 * Sends requests with hostile targets, headers, framing and bodies to a server, each over a separate connection. The same `seed`
 * sends the same requests.
 *
 * @returns Answers that no client should get: text of an internal error, or status 500.
 */
export async function sendHostileRequests(
  server: AttackedServer,
  { count, seed = 1 }: { readonly count: number; readonly seed?: number },
): Promise<string[]> {
  const random = new Random(seed)
  const faults: string[] = []
  for (let sent = 0; sent < count; sent += 20) {
    const requests = Array.from({ length: 20 }, () => hostileRequest(server, random))
    const answers = await Promise.all(requests.map((request) => answerTo(server.port, request)))
    for (const [index, answer] of answers.entries())
      if (internal.test(answer)) faults.push(`${requests[index]?.head}\n=> ${answer}`)
  }
  return faults
}

const internal =
  /^HTTP\/1\.1 500|\b(?:\w+Error\b|Unexpected (?:token|end)|Invalid URL|Cannot read|is not iterable)|\.[cm]?[jt]s:\d/

interface HostileRequest {
  readonly head: string
  readonly body: Buffer
  /** Whether the server waits for more than is sent, unless the client ends its side. */
  readonly isCut: boolean
}

/** Not DELETE: the later requests need what is there. */
const methods = ['GET', 'HEAD', 'POST', 'POST', 'PUT', 'PATCH', 'OPTIONS', 'TRACE', 'CONNECT', 'PROPFIND']
const targets = [
  ...[
    '//',
    '///',
    '//x',
    '//@',
    '//[',
    '/%',
    '/%ff%00',
    '/?%ZZ',
    '/\\..\\',
    '/..//',
    '/./',
    '/#',
    '?',
    '*',
    'x:1',
  ],
  ...[
    'http://',
    'http://[',
    'http://evil.example/',
    'https://%/',
    'ftp://x/',
    'javascript:alert(1)',
    '/\u00e9\u0080',
  ],
  `/${'a'.repeat(10_000)}`,
]
const endings = ['', '/', '//', '?', '?after=%', '/%2e%2e', '/%00', '/..%5c', '/%f0%9f']
const fieldsOfAll: readonly string[] = [
  ...['Host: ', 'Host: a b', 'Host: [', 'Host: 127.0.0.1:99999', 'Host: evil.example', 'Host: @/', 'Host: %'],
  ...[
    'Origin: null',
    'Origin: http://[',
    'Sec-Fetch-Site: x',
    'Cookie: =;;=%',
    'Authorization: Bearer \u00ff',
  ],
  ...[
    'Upgrade: websocket',
    'Expect: much',
    'Last-Event-ID: -1e999',
    'Mcp-Session-Id: \u0080',
    'Accept: ;;q=x,',
  ],
  ...[
    'MCP-Protocol-Version: 9',
    'Content-Type: application/json; charset=\u00ff',
    'Content-Encoding: gzip',
    'X: \u0000',
  ],
]
const bodies = [
  ...[
    '',
    '{',
    'null',
    '[]',
    '0',
    '1e999',
    '"\\ud800"',
    '{"token":null}',
    '{"token":{"toString":1}}',
    '\u00ff\u00fe',
  ],
  ...[
    '{"__proto__":{"token":1}}',
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":"2.0","id":{},"method":1}',
    '[null]',
    '[[]]',
  ],
  ...[
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}',
    '{"executor":[],"text":{}}',
    '['.repeat(5_000),
  ],
]
const framings = [
  'Content-Length: -1',
  'Content-Length: x',
  'Content-Length: 99',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: x',
]

function hostileRequest({ port, paths, fields }: AttackedServer, random: Random): HostileRequest {
  const body = Buffer.from(random.one(bodies), 'latin1')
  const isCut = random.one([true, false, false, false])
  const path = random.one([...paths.map((known) => known + random.one(endings)), random.one(targets)])
  const target = random.one([path, path, path, `http://127.0.0.1:${port}${path}`])
  const good = {
    Host: `127.0.0.1:${port}`,
    'Content-Type': 'application/json',
    ...random.one([fields, fields, {}]),
  }
  const odd = random.one([undefined, random.one(fieldsOfAll)])
  const lines = [
    `${random.one(methods)} ${target} HTTP/1.1`,
    ...Object.entries(good)
      .filter(([name]) => odd?.startsWith(`${name}:`) !== true)
      .map(([name, value]) => `${name}: ${value}`),
    ...(odd === undefined ? [] : [odd]),
    isCut ? random.one(framings) : `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  return { head: lines.join('\r\n'), body, isCut }
}

/** Everything that a server sends before it closes the connection. */
async function answerTo(port: number, { head, body, isCut }: HostileRequest): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), body]))
  if (isCut) socket.end()
  // A server may reset a connection whose request it has not read.
  return text(socket).catch(() => '')
}
