/** Parts of TLS messages (RFC 8446, 4), written by hand. */
export function number(value: number, size: number): Buffer {
  const bytes = Buffer.alloc(size)
  bytes.writeUIntBE(value, 0, size)
  return bytes
}

/** With its length before it. */
export function vector(content: Buffer, size: number): Buffer {
  return Buffer.concat([number(content.length, size), content])
}

export type Extension = readonly [type: number, content: Buffer]

export function serverName(...names: string[]): Extension {
  const entries = names.map((name) => Buffer.concat([Buffer.from([0]), vector(Buffer.from(name), 2)]))
  return [0, vector(Buffer.concat(entries), 2)]
}

export function record(content: Buffer, type = 22): Buffer {
  return Buffer.concat([Buffer.from([type, 3, 1]), vector(content, 2)])
}

/** A ClientHello. */
export function clientHello(extensions: readonly Extension[], sessionId = Buffer.alloc(0)): Buffer {
  const bytes = extensions.map(([type, content]) => Buffer.concat([number(type, 2), vector(content, 2)]))
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32),
    vector(sessionId, 1),
    vector(Buffer.from([0x13, 0x01]), 2),
    vector(Buffer.from([0]), 1),
    vector(Buffer.concat(bytes), 2),
  ])
  return Buffer.concat([Buffer.from([1]), vector(body, 3)])
}
