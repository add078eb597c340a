import type { Duplex } from 'node:stream'
import { Demultiplexer } from '@fenced/docker-engine'
import { orAborted } from '@fenced/host'
import type Docker from 'dockerode'

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
export async function attach(container: Docker.Container, signal: AbortSignal): Promise<AttachedServer> {
  const stream = await openStream(container, signal)
  let words = ''
  let hasEnded = false
  const decoder = new TextDecoder()
  const demultiplexer = new Demultiplexer((_, bytes) => {
    words = (words + decoder.decode(bytes, { stream: true })).slice(-maxLength)
  })
  stream.on('data', (chunk: Buffer) => {
    try {
      demultiplexer.push(chunk)
    } catch (error) {
      words = (error as Error).message
      stream.destroy()
    }
  })
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      hasEnded = true
      resolve()
    }
    stream.once('close', end)
    stream.once('end', end)
    stream.on('error', end)
  })
  return {
    ended,
    get hasEnded() {
      return hasEnded
    },
    get lastWords() {
      return words.trim()
    },
    write: (text) => void stream.write(text),
    close: () => stream.destroy(),
  }
}

async function openStream(container: Docker.Container, signal: AbortSignal): Promise<Duplex> {
  const options = { stream: true, stdin: true, stdout: false, stderr: true, hijack: true }
  const opening = container.attach(options) as Promise<unknown> as Promise<Duplex>
  const stream = await orAborted(opening, signal)
  if (stream !== 'aborted') return stream
  opening.then(
    (late) => late.destroy(),
    () => {},
  )
  throw signal.reason
}
