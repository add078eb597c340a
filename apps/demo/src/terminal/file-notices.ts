import { readFile } from 'node:fs/promises'
import { visible } from '@fenced/agents'
import type { Notice, OutputFile } from '@fenced/core'
import { formatSize } from './format.ts'
import { pictureProtocol } from './terminal-picture.ts'

/** Larger ones take a terminal too long, in bytes. */
const largestPicture = 4_000_000

/**
 * A notice for every file that a program has made. A picture is shown below its notice where the terminal can: everybody
 * else reads where it is.
 */
export async function* fileNotices(
  files: readonly OutputFile[],
  terminal: NodeJS.WriteStream,
): AsyncGenerator<Notice> {
  for (const file of files) {
    const picture = await pictureOf(file, terminal)
    const name = picture === undefined ? (file.absolutePath ?? file.path) : file.path
    const message = `FILE ${file.change.toUpperCase()} (${formatSize(file.sizeBytes)}): ${visible(name)}`
    yield { code: 'file', message }
    if (picture !== undefined) terminal.write(`${picture}\n`)
  }
}

async function pictureOf(
  { path, absolutePath, sizeBytes }: OutputFile,
  terminal: NodeJS.WriteStream,
): Promise<string | undefined> {
  const show = pictureProtocol(terminal, process.env)
  const isPicture = path.endsWith('.png') && sizeBytes <= largestPicture
  if (show === undefined || absolutePath === undefined || !isPicture) return undefined
  return readFile(absolutePath, 'base64').then(show, () => undefined)
}
