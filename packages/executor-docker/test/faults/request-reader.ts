import type { Socket } from 'node:net'
import type { SeenRequest } from './fault.ts'

/** The head of a request, and what its body looks like. */
export interface RequestHead extends SeenRequest {
  readonly raw: Buffer
  /** How many bytes of body, `chunked`, or `upgrade` where everything after it belongs to it. */
  readonly body: number | 'chunked' | 'upgrade'
}

const endOfHead = '\r\n\r\n'

/** Takes the requests on one connection apart, only as far as is needed to know where the next one begins. */
export class RequestReader {
  readonly #chunks: AsyncIterator<Buffer>
  #rest = Buffer.alloc(0)

  constructor(socket: Socket) {
    this.#chunks = socket.iterator({ destroyOnReturn: false })
  }

  /** The next request; `undefined` when no whole one comes any more. */
  async head(): Promise<RequestHead | undefined> {
    const raw = await this.#until(endOfHead)
    if (raw === undefined) return undefined
    const [line = '', ...fields] = raw.toString('latin1').split('\r\n')
    const [method = '', path = ''] = line.split(' ')
    const headers = new Map(fields.map((field) => [...lowerCase(field)] as const))
    // The body of a request to be upgraded is read as part of what comes after it.
    if (headers.has('upgrade')) return { raw, method, path, body: 'upgrade' }
    if (headers.get('transfer-encoding') === 'chunked') return { raw, method, path, body: 'chunked' }
    return { raw, method, path, body: Number(headers.get('content-length') ?? 0) }
  }

  /** The bytes of its body as they come, to be read to their end before the next head. */
  async *body(kind: RequestHead['body']): AsyncGenerator<Buffer> {
    if (typeof kind === 'number') yield* this.#bytes(kind)
    if (kind === 'upgrade') yield* this.#bytes(Infinity)
    while (kind === 'chunked') {
      const size = await this.#until('\r\n')
      if (size === undefined) return
      yield size
      const count = Number.parseInt(size.toString('latin1'), 16)
      yield* this.#bytes(count + 2)
      if (count === 0) return
    }
  }

  async *#bytes(count: number): AsyncGenerator<Buffer> {
    for (let missing = count; missing > 0; ) {
      if (this.#rest.length === 0 && !(await this.#more())) return
      const bytes = this.#rest.subarray(0, missing)
      this.#rest = this.#rest.subarray(bytes.length)
      missing -= bytes.length
      yield bytes
    }
  }

  async #until(mark: string): Promise<Buffer | undefined> {
    let at = this.#rest.indexOf(mark)
    for (; at === -1; at = this.#rest.indexOf(mark)) if (!(await this.#more())) return undefined
    const bytes = this.#rest.subarray(0, at + mark.length)
    this.#rest = this.#rest.subarray(bytes.length)
    return bytes
  }

  async #more(): Promise<boolean> {
    // A connection that was reset has ended too.
    const next = await this.#chunks.next().catch(() => ({ done: true as const, value: undefined }))
    if (next.done) return false
    this.#rest = Buffer.concat([this.#rest, next.value])
    return true
  }
}

function lowerCase(field: string): [name: string, value: string] {
  const [name = '', value = ''] = field.toLowerCase().split(/: */, 2)
  return [name, value]
}
