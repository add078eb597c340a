import { TlsError } from './tls-fields.ts'

/** Types of records (RFC 8446, 5.1; RFC 6520). */
export const recordType = { changeCipherSpec: 20, alert: 21, handshake: 22, data: 23, heartbeat: 24 } as const

/** What to do with a record: pass it on, pass it on when its content was read, or keep it and what follows until later. */
export type RecordVerdict = 'pass' | 'read' | 'wait'

/** Decides about the records of one direction. It throws for those that end the connection. */
export interface RecordJudge {
  judge(type: number): RecordVerdict
  /** Takes the content of a record that is to be read. */
  read(content: Buffer): void
}

const headerSize = 5
/** Of a record of TLS 1.2; those of TLS 1.3 are smaller (RFC 5246, 6.2.3). */
const largestContent = 2 ** 14 + 2_048
const nothing: Buffer = Buffer.alloc(0)

/** Follows the records of one direction of a TLS connection. It reads the header of each, and the content of a few. */
export class TlsRecords {
  readonly #judge: RecordJudge
  /** How much of a record that is passed on has not come. */
  #left = 0
  #kept: Buffer[] = []
  #keptLength = 0
  /** Number of bytes needed before a record can be passed on. */
  #needed = 0
  #isWaiting = false

  constructor(judge: RecordJudge) {
    this.#judge = judge
  }

  /** Whether the judge said `wait`. Further bytes are kept, too. */
  get isWaiting(): boolean {
    return this.#isWaiting
  }

  /** Takes more bytes. @returns those that may be passed on. @throws TlsError, and what the judge throws. */
  push(chunk: Buffer): Buffer {
    if (this.#keptLength + chunk.length < this.#needed) {
      this.#keep(chunk, this.#needed)
      return nothing
    }
    const bytes = this.#keptLength === 0 ? chunk : Buffer.concat([...this.#kept, chunk])
    this.#kept = []
    this.#keptLength = 0
    this.#needed = 0
    let at = Math.min(this.#left, bytes.length)
    this.#left -= at
    for (let end = this.#next(bytes, at); end !== undefined; end = this.#next(bytes, at)) {
      at = Math.min(end, bytes.length)
      this.#left = end - at
    }
    this.#keep(bytes.subarray(at), this.#needed)
    return bytes.subarray(0, at)
  }

  /** Returns the end of the record that begins at a place, if it may be passed on. */
  #next(bytes: Buffer, at: number): number | undefined {
    const begin = at + headerSize
    if (this.#left > 0 || bytes.length < begin) return undefined
    const type = bytes[at] ?? 0
    const length = bytes.readUInt16BE(begin - 2)
    if (type < recordType.changeCipherSpec || type > recordType.heartbeat || bytes[at + 1] !== 3)
      throw new TlsError('it is not TLS')
    if (length > largestContent) throw new TlsError('a record is too long')
    const verdict = this.#judge.judge(type)
    this.#isWaiting = verdict === 'wait'
    if (this.#isWaiting) return undefined
    if (verdict === 'read') {
      this.#needed = begin + length - at
      if (bytes.length < begin + length) return undefined
      this.#needed = 0
      this.#judge.read(bytes.subarray(begin, begin + length))
    }
    return begin + length
  }

  #keep(bytes: Buffer, needed: number): void {
    this.#needed = needed
    if (bytes.length === 0) return
    this.#kept.push(bytes)
    this.#keptLength += bytes.length
  }
}
