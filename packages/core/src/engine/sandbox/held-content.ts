import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { types } from 'node:util'
import { FencedError } from '@fenced/errors'
import type { ApprovalFile } from '../../approval/approval-request.ts'
import { TemporaryDirectory } from '../../work-directory/temporary-directories.ts'

/** Limit of the file content that an approver sees. */
const maxShownBytes = 1024 * 1024

/** Content of a file that its owner cannot change while a question about it is open. */
interface HeldContent extends AsyncDisposable {
  readonly file: ApprovalFile
  /** For one reader. Fails at its end if it differs from `file`. */
  readonly content: Uint8Array | AsyncIterable<Uint8Array>
}

interface ContentOptions {
  readonly path: string
  readonly signal: AbortSignal | undefined
}

/** Copies content before a question about it. At most {@link maxShownBytes} of a stream are held in memory. */
export async function holdContent(
  given: Uint8Array | string | AsyncIterable<Uint8Array>,
  { path, signal }: ContentOptions,
): Promise<HeldContent> {
  const measured = new Measured()
  if (typeof given === 'string' || types.isUint8Array(given)) {
    if (typeof given === 'string' && !given.isWellFormed())
      throw refused(path, 'its content has half a surrogate pair, which UTF-8 cannot encode')
    const content = Buffer.from(given)
    measured.add(content)
    return { file: measured.fileAt(path), content, [Symbol.asyncDispose]: async () => {} }
  }
  const directory = TemporaryDirectory.make()
  try {
    const copy = join(directory.path, 'content')
    await writeFile(copy, measured.passing(given), { flag: 'wx', mode: 0o600, signal })
    const file = measured.fileAt(path)
    return { file, content: unchanged(copy, file), [Symbol.asyncDispose]: () => directory.remove() }
  } catch (error) {
    await directory.remove()
    signal?.throwIfAborted()
    throw error
  }
}

class Measured {
  readonly #hash = createHash('sha256')
  readonly #shown: Uint8Array[] = []
  #sizeBytes = 0

  add(chunk: Uint8Array): void {
    this.#hash.update(chunk)
    this.#sizeBytes += chunk.length
    if (this.#sizeBytes <= maxShownBytes) this.#shown.push(chunk)
    else this.#shown.length = 0
  }

  async *passing(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      const copy = Buffer.from(chunk)
      this.add(copy)
      yield copy
    }
  }

  fileAt(path: string): ApprovalFile {
    const isShown = this.#sizeBytes <= maxShownBytes
    const text = isShown ? textOf(Buffer.concat(this.#shown)) : undefined
    const facts = { path, sizeBytes: this.#sizeBytes, sha256: this.#hash.digest('hex') }
    return text === undefined ? facts : { ...facts, text }
  }
}

/** Other programs of this user can write to a temporary file, so its end says whether one did. */
async function* unchanged(copy: string, { path, sha256 }: ApprovalFile): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(copy)) {
    hash.update(chunk)
    yield chunk
  }
  if (hash.digest('hex') !== sha256) throw refused(path, 'its content changed while the question was open')
}

function refused(path: string, reason: string): FencedError {
  return new FencedError({
    code: 'FILE_REFUSED',
    message: `${JSON.stringify(path)} cannot be written: ${reason}.`,
    data: { path, reason },
  })
}

/** `undefined` for bytes that are not UTF-8. */
function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
