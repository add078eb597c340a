import { Transform, type TransformCallback } from 'node:stream'
import type { HashedTexts } from './hashed-texts.ts'
import { SecretMask } from './secret-mask.ts'

/** Puts `*` over texts in a stream: {@link SecretMask}. */
export class MaskStream extends Transform {
  readonly #mask: SecretMask

  constructor(texts: HashedTexts) {
    super()
    this.#mask = new SecretMask(texts)
  }

  override _transform(chunk: Buffer, _encoding: string, callback: TransformCallback): void {
    callback(null, this.#mask.push(chunk))
  }

  override _flush(callback: TransformCallback): void {
    callback(null, this.#mask.push(Buffer.alloc(0), true))
  }
}

/** The same for a text that is whole. */
export function masked(given: string, texts: HashedTexts): string {
  return new SecretMask(texts).push(Buffer.from(given, 'latin1'), true).toString('latin1')
}
