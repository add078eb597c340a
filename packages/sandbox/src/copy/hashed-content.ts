import { createHash } from 'node:crypto'

/** Content that is looked at on its way. */
export class HashedContent implements AsyncIterable<Buffer> {
  readonly #content: AsyncIterable<Buffer>
  readonly #hash = createHash('sha256')

  constructor(content: AsyncIterable<Buffer>) {
    this.#content = content
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for await (const chunk of this.#content) {
      this.#hash.update(chunk)
      yield chunk
    }
  }

  /** The hash of what went by; to be asked for once. */
  digest(): string {
    return this.#hash.digest('base64')
  }
}

/** The hash of content that is wanted for nothing else. */
export async function hashOf(content: AsyncIterable<Buffer>): Promise<string> {
  const hashed = new HashedContent(content)
  for await (const _ of hashed);
  return hashed.digest()
}
