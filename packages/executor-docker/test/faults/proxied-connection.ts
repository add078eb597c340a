import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { Break, FalseAnswer, Fault, Rule } from './fault.ts'
import { type RequestHead, RequestReader } from './request-reader.ts'

export interface ConnectionParts {
  readonly client: Socket
  /** Makes a connection to the engine. */
  readonly connect: () => Socket
  /** Says what goes wrong with a request. */
  readonly rule: Rule
  /** Resolves while everything goes through; waits while it does not. */
  readonly open: () => Promise<void>
}

/** One connection of dockerode's, and ours to the engine behind it. */
export class ProxiedConnection {
  readonly #parts: ConnectionParts
  readonly #client: Socket
  #engine: Socket | undefined
  #answer = new Answer(undefined)
  /** Nothing goes in any direction any more. */
  #isBroken = false

  constructor(parts: ConnectionParts) {
    this.#parts = parts
    this.#client = parts.client
    this.#client.on('error', () => {})
    void this.#takeRequests()
  }

  break(by: Break['by'], engineKeepsIt = false): void {
    this.#isBroken = true
    if (by === 'end') this.#client.destroySoon()
    if (by === 'reset') this.#client.resetAndDestroy()
    if (!engineKeepsIt) this.#engine?.destroySoon()
  }

  /** What has not gone wrong yet does not. */
  heal(): void {
    this.#answer.heal()
  }

  destroy(): void {
    this.#isBroken = true
    this.#client.destroy()
    this.#engine?.destroy()
  }

  async #takeRequests(): Promise<void> {
    const reader = new RequestReader(this.#client)
    for (let head = await reader.head(); head !== undefined; head = await reader.head()) {
      await this.#parts.open()
      await this.#takeRequest(head, reader)
      if (this.#isBroken) return
    }
    await this.#parts.open()
    if (!this.#answer.isAwaited) this.#engine?.end()
  }

  async #takeRequest(head: RequestHead, reader: RequestReader): Promise<void> {
    const fault = this.#parts.rule(head)
    if (isBreak(fault) && fault.breakAt === 'request') return this.break(fault.by)
    this.#answer = new Answer(fault)
    if (fault !== undefined && 'delayMs' in fault) return this.#sendLate(head, reader, fault.delayMs)
    if (isFalse(fault) && !fault.isDone) {
      for await (const _ of reader.body(head.body === 'upgrade' ? 0 : head.body));
      return this.#answerFalsely(fault)
    }
    await this.#send(fault !== undefined && 'withoutUpgrade' in fault ? withoutUpgrade(head.raw) : head.raw)
    for await (const chunk of reader.body(head.body)) {
      await this.#parts.open()
      if (this.#isBroken) return
      await this.#send(chunk)
      // Its body is short, and what comes after it is not to be waited for.
      if (isBreak(fault) && fault.breakAt === 'sent') return this.break(fault.by, fault.engineKeepsIt)
    }
    if (isBreak(fault) && fault.breakAt === 'sent') this.break(fault.by, fault.engineKeepsIt)
  }

  /** All of it is on its way, so that it arrives even when its sender goes meanwhile. */
  async #sendLate(head: RequestHead, reader: RequestReader, delayMs: number): Promise<void> {
    const parts = [head.raw]
    if (head.body !== 'upgrade') for await (const chunk of reader.body(head.body)) parts.push(chunk)
    await delay(delayMs)
    await this.#parts.open()
    await this.#send(Buffer.concat(parts))
    if (head.body !== 'upgrade') return
    for await (const chunk of reader.body('upgrade')) await this.#send(chunk)
  }

  async #send(bytes: Buffer): Promise<void> {
    this.#engine ??= this.#connect()
    if (!this.#engine.write(bytes)) await settled(this.#engine, 'drain')
  }

  #connect(): Socket {
    const engine = this.#parts.connect()
    engine.on('error', () => this.#client.destroy())
    this.#client.on('close', async () => {
      await this.#parts.open()
      if (!this.#answer.isAwaited) engine.destroy()
    })
    void this.#takeAnswers(engine)
    return engine
  }

  async #takeAnswers(engine: Socket): Promise<void> {
    try {
      for await (const chunk of engine.iterator({ destroyOnReturn: false })) {
        await this.#parts.open()
        await this.#passOn(chunk)
        if (this.#client.destroyed && !this.#isBroken) engine.destroy()
      }
    } catch {
      // Reset: the client hears of it as of an end.
    }
    if (!this.#isBroken) this.#client.end()
  }

  async #passOn(chunk: Buffer): Promise<void> {
    if (this.#isBroken) return
    const answer = this.#answer
    const { fault } = answer
    const { head, body } = answer.take(chunk)
    if (head.length > 0) {
      if (isFalse(fault)) return this.#answerFalsely(fault)
      if (isBreak(fault) && fault.breakAt === 'answer') return this.break(fault.by, fault.engineKeepsIt)
      await this.#give(head)
    }
    if (isBreak(fault) && typeof fault.breakAt === 'number' && answer.bodySize >= fault.breakAt) {
      const isOver = answer.bodySize - fault.breakAt
      await this.#give(body.subarray(0, body.length - isOver))
      return this.break(fault.by, fault.engineKeepsIt)
    }
    if (fault === undefined || !('pieceSize' in fault)) return this.#give(body)
    for (let at = 0; at < body.length && !this.#client.destroyed; ) {
      const size = fault.pieceSize()
      await this.#give(body.subarray(at, at + size))
      // So that it is read before the next one is there.
      await nextTurn()
      at += size
    }
  }

  async #give(bytes: Buffer): Promise<void> {
    if (bytes.length === 0 || this.#client.destroyed) return
    if (!this.#client.write(bytes)) await settled(this.#client, 'drain')
  }

  #answerFalsely({ answer: { status, type, body } }: FalseAnswer): void {
    const head = [
      `HTTP/1.1 ${status} So`,
      `Content-Type: ${type}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ]
    this.#client.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    this.break('end')
  }
}

/** What has come of the answer to the latest request. */
class Answer {
  fault: Fault | undefined
  /** How many bytes of the body have come. */
  bodySize = 0
  #head: Buffer | undefined = Buffer.alloc(0)

  constructor(fault: Fault | undefined) {
    this.fault = fault
  }

  /** A request that is late is on its way all the same. */
  heal(): void {
    if (this.fault !== undefined && !('delayMs' in this.fault)) this.fault = undefined
  }

  /** Whether the engine is to be let alone until it has answered, although nobody listens any more. */
  get isAwaited(): boolean {
    return this.fault !== undefined && 'delayMs' in this.fault && this.#head !== undefined
  }

  /** The whole head, once it has come, and what of the chunk is body. */
  take(chunk: Buffer): { head: Buffer; body: Buffer } {
    if (this.#head === undefined) {
      this.bodySize += chunk.length
      return { head: Buffer.alloc(0), body: chunk }
    }
    this.#head = Buffer.concat([this.#head, chunk])
    const end = this.#head.indexOf('\r\n\r\n') + 4
    if (end < 4) return { head: Buffer.alloc(0), body: Buffer.alloc(0) }
    const [head, body] = [this.#head.subarray(0, end), this.#head.subarray(end)]
    this.#head = undefined
    this.bodySize = body.length
    return { head, body }
  }
}

function isBreak(fault: Fault | undefined): fault is Break {
  return fault !== undefined && 'breakAt' in fault
}

function isFalse(fault: Fault | undefined): fault is FalseAnswer {
  return fault !== undefined && 'answer' in fault
}

function withoutUpgrade(head: Buffer): Buffer {
  return Buffer.from(head.toString('latin1').replaceAll(/(upgrade|connection): [^\r]*\r\n/gi, ''), 'latin1')
}

/** Waits for an event, or for the end of the socket. */
async function settled(socket: Socket, event: string): Promise<void> {
  if (socket.destroyed) return
  const ended = new AbortController()
  const end = () => ended.abort()
  socket.once('close', end)
  await once(socket, event, { signal: ended.signal }).catch(() => {})
  socket.off('close', end)
}
