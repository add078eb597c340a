import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { visible } from '@fenced/errors/text'
import { UserError } from './user-error.ts'

/** The text of a file, or of standard input for `-`, as a stream. @throws UserError if it cannot be read, or is not UTF-8. */
export async function* readText(path: string): AsyncGenerator<string> {
  const stream = path === '-' ? process.stdin : createReadStream(path)
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    for await (const chunk of stream) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch (error) {
    // Of the decoder.
    if (error instanceof TypeError) throw notUtf8(path)
    const { syscall, code, message } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    const reasons: Readonly<Record<string, string>> = {
      EISDIR: 'is a directory. Name a file.',
      ENOENT: 'does not exist.',
    }
    throw new UserError(`${path} ${reasons[code ?? ''] ?? `cannot be read: ${message}`}`)
  }
}

function notUtf8(path: string): UserError {
  const what = path === '-' ? 'Standard input' : path
  return new UserError(
    `${what} is not UTF-8, so its code would not run as written. Convert it first, for example with \`iconv -f LATIN1 -t UTF-8\`.`,
  )
}

/** A text that goes to a stream: unchanged for a file or a program, with its hidden characters as escapes for a terminal. */
export function forStream({ isTTY }: Pick<NodeJS.WriteStream, 'isTTY'>, text: string): string {
  return isTTY ? visible(text) : text
}

/** Writes to a stream, and waits while its reader is behind: a program that writes for ever fills no memory here. */
export async function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  if (text === '' || stream.destroyed || stream.errored) return
  if (stream.write(text)) return
  await Promise.race([once(stream, 'drain'), once(stream, 'close')]).catch(() => {})
}
