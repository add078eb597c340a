/** How many bytes wait for a reader before the process has to. */
const capacity = 2 ** 20

/** An output stream of a process. Without a reader, it blocks the process, like a full pipe. */
export class OutputStream {
  readonly readable: ReadableStream<Uint8Array>
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #isReleased = false
  #resume: () => void = () => {}

  constructor() {
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#resume(),
        cancel: () => {
          this.#controller = undefined
          this.#resume()
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: capacity }),
    )
  }

  /** Resolves when there is room for more. What comes after the reader has left is dropped. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#controller === undefined || bytes.length === 0) return
    this.#controller.enqueue(bytes)
    if (this.#isReleased || (this.#controller.desiredSize ?? 0) > 0) return
    await new Promise<void>((resolve) => {
      this.#resume = resolve
    })
  }

  /** From now on nothing waits for the reader. */
  release(): void {
    this.#isReleased = true
    this.#resume()
  }

  end(): void {
    this.#controller?.close()
    this.#controller = undefined
  }

  fail(error: unknown): void {
    this.#controller?.error(error)
    this.#controller = undefined
  }
}
