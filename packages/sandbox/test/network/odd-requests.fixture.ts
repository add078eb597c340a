import type { Random } from '@fenced/testing'

/** A request as a hostile program may write it. */
export interface OddRequest {
  /** Its path, which no other request has. */
  readonly path: string
  readonly method: string
  /** Its bytes, as Latin-1. */
  readonly words: string
  /** The body that the host may read; `undefined` where nothing may arrive. */
  readonly body: string | undefined
  /** Whether it is a correct request, which must arrive. */
  readonly isCorrect: boolean
}

/** The place of a request on its connection. */
export interface OddPlace {
  readonly path: string
  /** Before the path in the request line: empty in a tunnel. */
  readonly prefix: string
  readonly authority: string
  readonly isLast: boolean
}

interface Framing {
  readonly lines: readonly string[]
  readonly wire: string
  readonly body: string | undefined
  readonly isCorrect: boolean
}

const methods = [
  ...['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'POST', 'PUT', 'PATCH'],
  ...['PROPFIND', 'REPORT', 'LINK', 'SEARCH', 'PURGE', 'M-SEARCH'],
]

/** None of these lines may change which bytes a host reads as one request. */
const connectionLines: readonly (readonly string[])[] = [
  ...[[], [], ['Connection: keep-alive'], ['Connection: host'], ['Connection: Content-Length']],
  ...[['Connection: Transfer-Encoding'], ['connection: HOST,content-length,TRANSFER-ENCODING']],
  ...[['Connection: keep-alive', 'CONNECTION: host', 'Connection:\tcontent-length']],
  ...[
    ['Connection: , ,host ,\tcontent-length, ,'],
    ['Proxy-Connection: keep-alive', 'Connection: Host, Host'],
  ],
  ...[['Connection: host;content-length'], ['Connection: "host", x-other, content-length']],
  ...[
    ['Keep-Alive: timeout=5', 'Connection: Keep-Alive, transfer-encoding, expect'],
    ['TE: trailers, deflate'],
  ],
]

/** The framings of RFC 9112, and those that two servers read in two ways. @param random - decides about everything. */
export function oddRequest(random: Random, { path, prefix, authority, isLast }: OddPlace): OddRequest {
  const method = random.one(methods)
  const { lines, wire, body, isCorrect } = random.whole(1, 3) === 1 ? oddFraming(random) : framing(random)
  const head = [
    ...lines,
    ...random.one(connectionLines),
    `${spelled(random, 'Host')}: ${authority}`,
    ...(isLast ? ['Connection: close'] : []),
  ]
  const words = `${method} ${prefix}${path} HTTP/1.1\r\n${shuffled(random, head).join('\r\n')}\r\n\r\n${wire}`
  return { path, method, words, body, isCorrect }
}

function framing(random: Random): Framing {
  const body = randomBody(random)
  const [length, coding] = [spelled(random, 'Content-Length'), spelled(random, 'Transfer-Encoding')]
  const blank = random.one(['', ' ', '\t', '  '])
  const chunked = random.one(['chunked', 'Chunked', 'CHUNKED'])
  return random.one<Framing>([
    { lines: [], wire: '', body: '', isCorrect: true },
    { lines: [`${length}:${blank}${body.length}${blank}`], wire: body, body, isCorrect: true },
    { lines: [`${length}:${blank}000${body.length}`], wire: body, body, isCorrect: true },
    {
      lines: [`${coding}:${blank}${chunked}${random.one(['', ' '])}`],
      wire: inChunks(random, body),
      body,
      isCorrect: true,
    },
  ])
}

function oddFraming(random: Random): Framing {
  const body = randomBody(random)
  const size = body.length
  const chunks = inChunks(random, body)
  const lines = random.one<readonly string[]>([
    [`Content-Length: ${size}`, 'Transfer-Encoding: chunked'],
    [`Transfer-Encoding: chunked`, `Content-Length: ${chunks.length}`],
    [`Content-Length: ${size}`, `Content-Length: ${size + 1}`],
    [`Content-Length: ${size}`, `content-length: ${size}`],
    ...[
      `+${size}`,
      `-${size}`,
      `0x${size.toString(16)}`,
      `${size} 0`,
      `${size}, ${size}`,
      '',
      `${size}e0`,
    ].map((value) => [`Content-Length: ${value}`]),
    ...[
      'xchunked',
      'chunked, chunked',
      'identity',
      'gzip',
      'gzip, chunked',
      'chunked, gzip',
      'chunked;q=1',
    ].map((value) => [`Transfer-Encoding: ${value}`]),
    ...['"chunked"', 'chunk', '', ',chunked', 'chunked,', '\x0bchunked', 'identity, chunked'].map((value) => [
      `Transfer-Encoding: ${value}`,
    ]),
    ['Transfer-Encoding: chunked', 'transfer-encoding: chunked'],
    ['Transfer-Encoding: gzip', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding : chunked'],
    ['Transfer-Encoding\t: chunked'],
    ['X: y\r\n Transfer-Encoding: chunked'],
    ['Transfer-Encoding:\r\n chunked'],
    ['X: y\nTransfer-Encoding: chunked'],
    ['X: y\rTransfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked\t'],
    [`Content-Length : ${size}`],
    [`Content-Length:\r\n\t${size}`],
    [`Content-Length\0: ${size}`],
  ])
  return { lines, wire: random.one([chunks, body]), body: undefined, isCorrect: false }
}

function randomBody(random: Random): string {
  const evil = 'GET /smuggled HTTP/1.1\r\nHost: not-listed.test\r\n\r\n'
  const bytes = Array.from({ length: random.whole(1, 40) }, () => String.fromCharCode(random.whole(0, 255)))
  return random.one([
    ...[
      evil,
      `${evil}${evil}`,
      `0\r\n\r\n${evil}`,
      `\r\n${evil}`,
      bytes.join(''),
      'x',
      '0\r\n\r\n',
      '\r\n\r\n',
    ],
    `POST /smuggled HTTP/1.1\r\nHost: not-listed.test\r\nContent-Length: 100\r\n\r\n`,
    'y'.repeat(random.whole(1, 3_000)),
  ])
}

function inChunks(random: Random, body: string): string {
  const chunks: string[] = []
  for (let at = 0; at < body.length; ) {
    const chunk = body.slice(at, at + random.whole(1, Math.max(1, body.length)))
    const size = chunk.length.toString(16)
    const line = random.one([size, size.toUpperCase(), `000${size}`, `${size};a=b`, `${size};a;b="c"`])
    chunks.push(`${line}\r\n${chunk}\r\n`)
    at += chunk.length
  }
  return `${chunks.join('')}${random.one(['0', '000', '0;a'])}\r\n${random.one(['', 'X-Trailer: y\r\n', 'Host: not-listed.test\r\n'])}\r\n`
}

function spelled(random: Random, name: string): string {
  return random.one([name, name, name.toLowerCase(), name.toUpperCase()])
}

function shuffled<Item>(random: Random, items: readonly Item[]): Item[] {
  const left = [...items]
  return items.map(() => left.splice(random.whole(0, left.length - 1), 1)[0] as Item)
}
