import type { Container } from '@fenced/sandbox-docker'

/** The stdin and the last words of a container's own process. */
export interface AttachedServer {
  readonly ended: Promise<void>
  readonly hasEnded: boolean
  readonly lastWords: string
  write(text: string): void
  close(): void
}

const maxLength = 8_192

/** Holds a container's stdin: when this end is closed, however that happens, its process reads the end. */
export async function attach(container: Container, signal: AbortSignal): Promise<AttachedServer> {
  const process = await container.attach({ signal })
  let words = ''
  let hasEnded = false
  const decoder = new TextDecoder()
  const ended = process
    .read((_, bytes) => {
      words = (words + decoder.decode(bytes, { stream: true })).slice(-maxLength)
    })
    .catch((error: Error) => {
      words = error.message
    })
    .then(() => {
      hasEnded = true
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
    close: () => process.destroy(),
  }
}
