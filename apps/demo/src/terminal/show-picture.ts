import { readFile } from 'node:fs/promises'
import type { OutputFile } from '@fenced/core'
import { pictureProtocol } from './terminal-picture.ts'

/** Larger ones take a terminal too long, in bytes. */
const largestPicture = 4_000_000

/** A picture that a program made, for a terminal that can show it. */
export async function showPicture({
  path,
  absolutePath,
  sizeBytes,
}: OutputFile): Promise<string | undefined> {
  const show = pictureProtocol(process.stdout, process.env)
  const isPicture = path.endsWith('.png') && sizeBytes <= largestPicture
  if (show === undefined || absolutePath === undefined || !isPicture) return undefined
  return readFile(absolutePath, 'base64').then(show, () => undefined)
}
