import { describe, expect, it } from 'vitest'
import { ClientHelloReader } from './client-hello.ts'
import { TlsError } from './tls-fields.ts'
import { watchHandshake } from './tls-handshake.ts'
import { type RecordJudge, recordType, TlsRecords } from './tls-records.ts'

/** The header of a record, and the beginning of its content. */
function begun(
  length: number,
  content: Buffer = Buffer.alloc(0),
  type: number = recordType.handshake,
): Buffer {
  return Buffer.concat([Buffer.of(type, 3, 1, length >> 8, length & 255), content])
}

const record = (content: Buffer, type?: number) => begun(content.length, content, type)

/** The header of a ClientHello of a length. */
const helloOf = (length: number) => Buffer.of(1, length >> 16, (length >> 8) & 255, length & 255)

/** The contents of the first records of a ClientHello that does not end in them. */
const inRecords = (count: number) => [
  helloOf(1_000),
  ...Array.from({ length: count - 1 }, () => Buffer.of(0)),
]

/** A ClientHello without extensions. */
const hello = Buffer.concat([helloOf(41), Buffer.of(3, 3), Buffer.alloc(32), Buffer.of(0, 0, 2, 19, 1, 1, 0)])

describe('the first message of a client', () => {
  it('is in 32 records at most', () => {
    const reader = new ClientHelloReader()
    for (const part of inRecords(32)) expect(reader.push(record(part))).toBeUndefined()
    expect(() => reader.push(record(Buffer.of(0)))).toThrow(TlsError)
  })

  it('has 64 KiB with its header at most', () => {
    expect(new ClientHelloReader().push(record(helloOf(65_532)))).toBeUndefined()
    expect(() => new ClientHelloReader().push(record(helloOf(65_533)))).toThrow(TlsError)
  })

  it('is refused at the header of a record that is too long for it', () => {
    const reader = new ClientHelloReader()
    reader.push(record(helloOf(65_000)))
    expect(() => reader.push(begun(65_533))).toThrow(TlsError)
  })
})

describe('records', () => {
  const passing: RecordJudge = { judge: () => 'pass', read: () => {} }

  it('have 18 KiB at most', () => {
    expect(new TlsRecords(passing).push(begun(18_432))).toHaveLength(5)
    expect(() => new TlsRecords(passing).push(begun(18_433))).toThrow(TlsError)
  })

  it('are judged at their header and when they are whole, however small the pieces are', () => {
    let judged = 0
    const contents: Buffer[] = []
    const records = new TlsRecords({
      judge: () => {
        judged++
        return 'read'
      },
      read: (content) => contents.push(Buffer.from(content)),
    })
    const bytes = record(Buffer.alloc(1_000, 'x'))
    const passed = [...bytes].map((byte) => records.push(Buffer.of(byte)))
    expect(Buffer.concat(passed)).toEqual(bytes)
    expect(contents).toEqual([Buffer.alloc(1_000, 'x')])
    expect(judged).toBe(2)
  })

  it('have a type of TLS', () => {
    for (const type of [20, 24])
      expect(new TlsRecords(passing).push(record(Buffer.of(0), type))).toHaveLength(6)
    for (const type of [19, 25])
      expect(() => new TlsRecords(passing).push(record(Buffer.of(0), type))).toThrow(TlsError)
  })
})

describe('a message of a handshake', () => {
  const client = () => watchHandshake(() => {}).client

  it('is in 32 records at most, each with a part of it', () => {
    const judge = client()
    for (const part of inRecords(32)) judge.read(part)
    expect(() => judge.read(Buffer.of(0))).toThrow(TlsError)
    expect(() => client().read(Buffer.alloc(0))).toThrow(TlsError)
  })

  it('has 64 KiB with its header at most', () => {
    expect(() => client().read(helloOf(65_532))).not.toThrow()
    expect(() => client().read(helloOf(65_533))).toThrow(TlsError)
  })

  it('is whole before a record of another type', () => {
    const { client, server } = watchHandshake(() => {})
    expect(() => client.judge(recordType.data)).toThrow(TlsError)
    client.read(hello)
    server.read(Buffer.from([2, 0, 0, 38, 3, 3, ...Buffer.alloc(36)]))
    expect(client.judge(recordType.data)).toBe('pass')
    client.read(hello.subarray(0, 10))
    expect(() => client.judge(recordType.data)).toThrow(TlsError)
  })
})
