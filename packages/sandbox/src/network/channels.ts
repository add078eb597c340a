import { Duplex } from 'node:stream'
import {
  creditFrame,
  type Frame,
  frame,
  initialCredit,
  largestContent,
  WireError,
  WireReader,
} from './wire.ts'

/** The way to a helper. */
export interface HelperLink {
  /** Returns whether it takes more at once; else `drained` of {@link Channels} is called when it does. */
  write(data: Uint8Array): boolean
  /** How many bytes wait in it. */
  waiting(): number
}

/** Bytes of answers that may wait for a helper before the connection to the helper counts as blocked. */
const mostWaiting = 4 * 2 ** 20

/**
 * The connections that programs made to the helper of a sandbox, as streams. The input is not trusted: a program that speaks the
 * protocol directly has only the rights of a program that connects.
 */
export class Channels {
  readonly #link: HelperLink
  readonly #onOpen: (channel: Duplex) => void
  readonly #reader: WireReader
  readonly #channels = new Map<number, Channel>()
  #lastNumber = 0
  #waiting: (() => void)[] = []

  constructor(link: HelperLink, onGreeting: () => void, onOpen: (channel: Duplex) => void) {
    this.#link = link
    this.#onOpen = onOpen
    this.#reader = new WireReader(onGreeting, (received) => this.#accept(received))
  }

  /** @throws WireError when the helper does not keep to the protocol: then all of it is over. */
  receive(chunk: Uint8Array): void {
    this.#reader.push(chunk)
  }

  /** The link takes more. */
  drained(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const proceed of waiting) proceed()
  }

  /** The helper is gone. */
  end(): void {
    for (const channel of this.#channels.values()) channel.destroy()
    this.drained()
  }

  send(data: Uint8Array): boolean {
    return this.#link.write(data)
  }

  whenDrained(proceed: () => void): void {
    this.#waiting.push(proceed)
  }

  forget(channel: number): void {
    this.#channels.delete(channel)
  }

  #accept({ kind, channel: number, content }: Frame): void {
    if (this.#link.waiting() > mostWaiting) throw new WireError('it does not read its input')
    if (kind === 'O') {
      if (number <= this.#lastNumber) throw new WireError('it opened a channel twice')
      this.#lastNumber = number
      const channel = new Channel(this, number)
      this.#channels.set(number, channel)
      this.#onOpen(channel)
      return
    }
    if (number > this.#lastNumber) throw new WireError('it named a channel that there is not')
    // This side may have ended the channel just now.
    this.#channels.get(number)?.receive(kind, content)
  }
}

class Channel extends Duplex {
  readonly #channels: Channels
  readonly #number: number
  /** How many bytes may be sent. */
  #credit = initialCredit
  /** How many bytes may still come. */
  #window = initialCredit
  #hasEnded = false
  /** Continues with what waits for credit. */
  #onCredit: (() => void) | undefined

  constructor(channels: Channels, number: number) {
    super({ allowHalfOpen: true })
    this.#channels = channels
    this.#number = number
    // Its end is reported as every stream's; an error is one of the program.
    this.on('error', () => {})
  }

  /** @throws WireError */
  receive(kind: Exclude<Frame['kind'], 'O'>, content: Buffer): void {
    if (kind === 'C') this.#addCredit(content)
    else if (kind === 'R') this.destroy()
    else if (this.#hasEnded) throw new WireError('it sent data after their end')
    else if (kind === 'E') {
      this.#hasEnded = true
      this.push(null)
    } else {
      this.#window -= content.length
      if (this.#window < 0) throw new WireError('it sent more than it may')
      this.push(content)
    }
  }

  override read(size?: number): Buffer | null {
    const data: Buffer | null = super.read(size)
    this.#giveCredit()
    return data
  }

  override _read(): void {
    // While a reader waits, chunks are passed on without `read`.
    process.nextTick(() => this.#giveCredit())
  }

  #giveCredit(): void {
    const taken = initialCredit - this.#window - this.readableLength
    if (taken <= 0 || this.#hasEnded || this.destroyed) return
    this.#window += taken
    this.#channels.send(creditFrame(this.#number, taken))
  }

  override _write(chunk: Buffer, encoding: string, callback: () => void): void {
    if (chunk.length === 0 || this.destroyed) {
      callback()
      return
    }
    if (this.#credit === 0) {
      this.#onCredit = () => this._write(chunk, encoding, callback)
      return
    }
    const part = chunk.subarray(0, Math.min(this.#credit, largestContent))
    this.#credit -= part.length
    const proceed = () => this._write(chunk.subarray(part.length), encoding, callback)
    if (this.#channels.send(frame('D', this.#number, part))) proceed()
    else this.#channels.whenDrained(proceed)
  }

  override _final(callback: () => void): void {
    this.#channels.send(frame('E', this.#number))
    callback()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#channels.forget(this.#number)
    this.#onCredit = undefined
    const isOver = this.#hasEnded && this.writableFinished
    if (!isOver) this.#channels.send(frame('R', this.#number))
    callback(error)
  }

  #addCredit(content: Buffer): void {
    if (content.length !== 4) throw new WireError('it sent no number')
    this.#credit += content.readUInt32BE()
    if (this.#credit > initialCredit) throw new WireError('it gave more credit than there is')
    const proceed = this.#onCredit
    this.#onCredit = undefined
    proceed?.()
  }
}
