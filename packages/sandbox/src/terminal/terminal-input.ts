import { Writable } from 'node:stream'

/** How much input is on its way to the terminal, in bytes: four times what `terminal.py` reports at once. */
const windowBytes = 64 * 1024
/** How much of it is sent at once, in bytes. */
const pieceBytes = 16 * 1024

/** The key that ends the input of a program that reads lines. */
const controlD = Buffer.from('\x04')

/** What is typed into a terminal. Its size is bounded, so a program that does not read delays neither signals nor a new size. */
export class TerminalInput extends Writable {
  readonly #send: (input: Uint8Array) => void
  readonly #hangUp: () => void
  #onTheWay = 0
  #onRoom: (() => void) | undefined

  constructor(send: (input: Uint8Array) => void, hangUp: () => void) {
    // The program reads Ctrl-D, and may continue.
    super({ autoDestroy: false })
    this.#send = send
    this.#hangUp = hangUp
  }

  /** Called when the terminal has taken input. */
  taken(count: number): void {
    this.#onTheWay -= count
    this.#onRoom?.()
  }

  override _write(chunk: Uint8Array, _: string, callback: () => void): void {
    void this.#pass(chunk).then(callback)
  }

  override _final(callback: () => void): void {
    void this.#pass(controlD).then(callback)
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#onRoom?.()
    this.#hangUp()
    callback(error)
  }

  async #pass(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      const piece = chunk.subarray(at, at + pieceBytes)
      await this.#room(piece.length)
      if (this.destroyed) return
      this.#onTheWay += piece.length
      this.#send(piece)
    }
  }

  async #room(size: number): Promise<void> {
    while (this.#onTheWay + size > windowBytes && !this.destroyed)
      await new Promise<void>((resolve) => {
        this.#onRoom = resolve
      })
  }
}
