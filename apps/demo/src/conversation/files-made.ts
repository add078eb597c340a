import { readFile } from 'node:fs/promises'
import type { ChatEvent } from '@fenced/agents'
import type { OutputFile } from '@fenced/core'
import { formatSize } from '../terminal/format.ts'
import { pictureProtocol } from '../terminal/terminal-picture.ts'
import { visible } from '../terminal/visible.ts'

/** Larger ones take a terminal too long, in bytes. */
const largestPicture = 4_000_000

/**
 * The events of a conversation, with a notice for every file that a program has made. A picture is shown below its notice
 * where the terminal can: everybody else reads where it is.
 */
export async function* withFilesMade(
  events: AsyncIterable<ChatEvent>,
  terminal: NodeJS.WriteStream,
): AsyncGenerator<ChatEvent> {
  for await (const event of events) {
    yield event
    if (event.type !== 'code-end') continue
    for (const file of event.result.files) {
      const picture = await pictureOf(file, terminal)
      const name = picture === undefined ? (file.absolutePath ?? file.path) : file.path
      const message = `FILE ${file.change.toUpperCase()} (${formatSize(file.sizeBytes)}): ${visible(name)}`
      yield { type: 'notice', agent: event.agent, notice: { code: 'file', message } }
      if (picture !== undefined) terminal.write(`${picture}\n`)
    }
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
