import { isUtf8 } from 'node:buffer'
import type { SandboxFiles } from '@fenced/core/sandbox'
import { visibleName } from '@fenced/errors/text'
import type { BlobResourceContents, TextResourceContents } from '@modelcontextprotocol/server'

/** A file that is larger is not read: a model reads parts of it by a program. In bytes. */
export const largestFile = 2 ** 20

/** The content of a file; `undefined` when nothing is there, `'too-large'` beyond {@link largestFile}. */
export async function readContent(
  files: SandboxFiles,
  path: string,
): Promise<Buffer | 'too-large' | undefined> {
  const chunks = await files.read(path)
  if (chunks === undefined) return undefined
  const read: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > largestFile) return 'too-large'
    read.push(Buffer.from(chunk))
  }
  return Buffer.concat(read)
}

/** Says why a file was not read. */
export function tooLarge(path: string): string {
  return `${visibleName(path)} is larger than ${largestFile} bytes. Read parts of it with a program.`
}

/** The text of a file; `undefined` when it is not UTF-8. */
export function textOf(content: Buffer): string | undefined {
  return isUtf8(content) ? content.toString() : undefined
}

/** A file as a resource of the protocol: as text, or else as base64. */
export function resourceOf(uri: string, content: Buffer): TextResourceContents | BlobResourceContents {
  const text = textOf(content)
  if (text !== undefined) return { uri, mimeType: 'text/plain', text }
  const mimeType = pictureType(content) ?? 'application/octet-stream'
  return { uri, mimeType, blob: content.toString('base64') }
}

/** Of what models take, by its first bytes. */
export function pictureType(content: Buffer): string | undefined {
  const begin = content.subarray(0, 12).toString('latin1')
  if (begin.startsWith('\x89PNG')) return 'image/png'
  if (begin.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (begin.startsWith('GIF8')) return 'image/gif'
  return begin.startsWith('RIFF') && begin.endsWith('WEBP') ? 'image/webp' : undefined
}
