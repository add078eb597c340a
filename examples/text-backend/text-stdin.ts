import { Writable } from 'node:stream'

/** Bytes in a frame: three quarters of its text, which the pipe of `textScript` holds as a whole. */
const frameBytes = 36 * 1024

/** Sends stdin as frames, each when the one before was taken. */
export class TextStdin extends Writable {
  readonly #send: (text: string) => Promise<void>
  #taken: PromiseWithResolvers<void> | undefined
  #hasEnded = false

  constructor(send: (text: string) => Promise<void>) {
    super({ decodeStrings: true })
    this.#send = send
    // The end of the output reports the end of the process.
    this.on('error', () => {})
  }

  /** Called when the process has taken a frame. */
  taken(): void {
    this.#taken?.resolve()
  }

  /** Called when the process no longer reads. Further input is dropped, as by a pipe without a reader. */
  stop(): void {
    this.#hasEnded = true
    this.#taken?.resolve()
  }

  override _write(chunk: Buffer, _: string, done: (error?: Error) => void): void {
    this.#sendAll(chunk).then(() => done(), done)
  }

  override _final(done: (error?: Error) => void): void {
    const sending = this.#hasEnded ? Promise.resolve() : this.#send('z\n')
    sending.then(() => done(), done)
  }

  async #sendAll(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length && !this.#hasEnded; at += frameBytes) {
      const text = chunk.toString('base64', at, Math.min(at + frameBytes, chunk.length))
      this.#taken = Promise.withResolvers<void>()
      await this.#send(`i ${text.length}\n${text}`)
      await this.#taken.promise
    }
  }
}
