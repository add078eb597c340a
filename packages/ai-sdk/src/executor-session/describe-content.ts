import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { ApprovalFile } from '@fenced/core'

/** Limit of the file content that an approver sees. */
const maxShownBytes = 1024 * 1024

/** A file for the question whether it may be written. At most {@link maxShownBytes} of it are held in memory. */
export async function describeContent(file: FileHandle, path: string): Promise<ApprovalFile> {
  const hash = createHash('sha256')
  const shown: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of file.createReadStream({ autoClose: false, start: 0 })) {
    hash.update(chunk)
    sizeBytes += chunk.length
    if (sizeBytes <= maxShownBytes) shown.push(chunk)
  }
  const text = sizeBytes <= maxShownBytes ? textOf(Buffer.concat(shown)) : undefined
  return { path, sizeBytes, sha256: hash.digest('hex'), ...(text === undefined ? {} : { text }) }
}

/** `undefined` for bytes that are not UTF-8. */
function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
