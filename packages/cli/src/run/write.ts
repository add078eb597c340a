import { once } from 'node:events'

/** Writes to a stream, and waits while its reader is behind: a program that writes for ever fills no memory here. */
export async function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  if (text === '' || stream.destroyed || stream.errored) return
  if (stream.write(text)) return
  await Promise.race([once(stream, 'drain'), once(stream, 'close')]).catch(() => {})
}
