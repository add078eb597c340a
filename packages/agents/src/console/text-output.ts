import { once } from 'node:events'
import { FencedError } from '@fenced/core'

/** Writes no faster than a stream takes it, and notices when nobody reads any more. */
export class TextOutput {
  readonly #stream: NodeJS.WritableStream
  readonly #gone = new AbortController()
  readonly #onGone = (error?: unknown) => this.#gone.abort(error)

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream
    stream.on('error', this.#onGone)
    stream.on('close', this.#onGone)
  }

  /** @throws FencedError `OUTPUT_CLOSED`. */
  async write(text: string): Promise<void> {
    if (text === '') return
    const { signal } = this.#gone
    if (signal.aborted || !this.#stream.writable) throw outputClosed(signal)
    if (this.#stream.write(text)) return
    await once(this.#stream, 'drain', { signal }).catch(() => {
      throw outputClosed(signal)
    })
  }

  /** Leaves the stream as it was. */
  release(): void {
    this.#stream.off('error', this.#onGone)
    this.#stream.off('close', this.#onGone)
  }
}

function outputClosed({ reason }: AbortSignal): FencedError {
  return new FencedError({
    code: 'OUTPUT_CLOSED',
    message: 'The conversation can no longer be shown: the output was closed. It was stopped.',
    ...(reason instanceof Error ? { cause: reason } : {}),
  })
}
