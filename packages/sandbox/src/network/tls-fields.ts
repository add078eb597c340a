/** Bytes of a TLS connection that are none, or that servers may read in more than one way. */
export class TlsError extends Error {}

/** Takes one field after the other. */
export class Fields {
  readonly #data: Buffer
  #at = 0

  constructor(data: Buffer) {
    this.#data = data
  }

  get isAtEnd(): boolean {
    return this.#at === this.#data.length
  }

  take(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#data.length) throw new TlsError('a message of it is cut off')
    const taken = this.#data.subarray(this.#at, end)
    this.#at = end
    return taken
  }

  number(size: number): number {
    return this.take(size).readUIntBE(0, size)
  }

  /** With its length before it. */
  vector(sizeOfLength: number): Buffer {
    return this.take(this.number(sizeOfLength))
  }
}
