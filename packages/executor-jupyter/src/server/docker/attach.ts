import { TextTail } from '@fenced/host'
import { type Container, holdContainer } from '@fenced/sandbox-docker'
import { pythonSource } from '../../python-source.ts'

/** Process of a server in a container. */
export interface AttachedServer {
  readonly ended: Promise<void>
  readonly hasEnded: boolean
  readonly lastWords: string
  write(text: string): void
  close(): void
}

const maxLength = 8_192

/**
 * Starts a server in a container, which ends with it. The container also ends when this process does: the container's first process
 * watches the connection, as another user than the server and its kernels.
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
  const words = new TextTail(maxLength)
  let hasEnded = false
  const decoder = new TextDecoder()
  const output = process.read((_, bytes) => {
    words.push(decoder.decode(bytes, { stream: true }))
  })
  const ended = Promise.race([output, held.ended])
    .catch((error: Error) => {
      words.push(`\n${error.message}`)
    })
    .then(() => {
      hasEnded = true
      process.destroy()
      held.release()
    })
  return {
    ended,
    get hasEnded() {
      return hasEnded
    },
    get lastWords() {
      return words.text.trim()
    },
    write: (text) => void process.stdin?.write(text),
    close: () => {
      process.destroy()
      held.release()
    },
  }
}
