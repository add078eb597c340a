import { type Container, holdContainer } from '@fenced/sandbox-docker'
import { pythonSource } from '../../python-source.ts'

/** A server's process in a container, its stdin and its last words. */
export interface AttachedServer {
  readonly ended: Promise<void>
  readonly hasEnded: boolean
  readonly lastWords: string
  write(text: string): void
  close(): void
}

const maxLength = 8_192

/**
 * Starts a server in a container, which ends with it. When this end is closed, however that happens, the container ends:
 * its own process sees to that, and is another user's than the server and its kernels.
 */
export async function attach(
  container: Container,
  { user, signal }: { readonly user: string; readonly signal: AbortSignal },
): Promise<AttachedServer> {
  const held = await holdContainer(container, { signal })
  const process = await container.exec(['python3', '-c', pythonSource('server_launcher')], {
    user,
    stdin: true,
    signal,
  })
  let words = ''
  let hasEnded = false
  const decoder = new TextDecoder()
  const output = process.read((_, bytes) => {
    words = (words + decoder.decode(bytes, { stream: true })).slice(-maxLength)
  })
  const ended = Promise.race([output, held.ended])
    .catch((error: Error) => {
      words = error.message
    })
    .then(() => {
      hasEnded = true
      process.destroy()
      held.letGo()
    })
  return {
    ended,
    get hasEnded() {
      return hasEnded
    },
    get lastWords() {
      return words.trim()
    },
    write: (text) => void process.stdin?.write(text),
    close: () => {
      process.destroy()
      held.letGo()
    },
  }
}
