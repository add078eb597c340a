import { isAbsolute, relative, sep } from 'node:path'
import type { ExecutorSandbox, ProcessEnd, SandboxProcess } from '@fenced/core/sandbox'
import { raceGrace, TextTail } from '@fenced/shared'
import { pythonSource } from '../python-source.ts'
import { launchLine, portWord } from './launch-options.ts'

/** How long it may take to end its kernels and itself, in milliseconds. */
const stopGraceMs = 3_000

/** Length of the server's output that is kept, in UTF-16 code units. */
const wordsLength = 8_192

export interface GuestServerOptions {
  readonly sandbox: ExecutorSandbox
  readonly python: string
  readonly token: string
  readonly signal: AbortSignal
}

/** The process of a Jupyter Server in a sandbox. */
export class GuestServer {
  /** Port in the sandbox, once the server listens; `undefined` when the server ended before. */
  readonly port: Promise<number | undefined>
  readonly ended: Promise<ProcessEnd>
  readonly #process: SandboxProcess
  readonly #words: TextTail
  /** How it ended; `undefined` while it runs. */
  end: ProcessEnd | undefined

  /** Rejects with what `spawn` does. */
  static async start({ sandbox, python, token, signal }: GuestServerOptions): Promise<GuestServer> {
    const words = new TextTail(wordsLength)
    const { promise: port, resolve } = Promise.withResolvers<number>()
    const decoder = new TextDecoder()
    const process = await sandbox.spawn([python, '-c', pythonSource('server_launcher')], {
      // The first variable ignores the user's own configuration of notebooks, with its passwords and ports.
      // The second one gives the server time to end when the programs of a lost host are ended.
      env: { JUPYTER_NO_CONFIG: '1', JPY_PARENT_PID: `${globalThis.process.pid}` },
      stdin: 'open',
      signal,
      output: (_, chunk) => {
        words.push(decoder.decode(chunk, { stream: true }))
        const [, found] = portLine.exec(words.text) ?? []
        if (found !== undefined) resolve(Number(found))
      },
    })
    process.stdin?.write(launchLine({ ip: '127.0.0.1', token, root: sandbox.directory }))
    return new GuestServer(process, { words, port })
  }

  private constructor(process: SandboxProcess, { words, port }: { words: TextTail; port: Promise<number> }) {
    this.#process = process
    this.#words = words
    this.ended = process.ended.then((end) => {
      this.end = end
      return end
    })
    this.port = Promise.race([port, this.ended.then(() => undefined)])
  }

  /** The end of what it wrote. */
  get outputTail(): string {
    return this.#words.text.trim()
  }

  /** Lets this process end although the server runs; the server ends with it. */
  unref(): void {
    this.#process.unref()
  }

  /** Ends the server with all of its kernels, in order within the grace period. */
  async stop(): Promise<void> {
    this.#process.ref()
    await this.#process.signal('SIGTERM')
    await raceGrace(this.ended, stopGraceMs)
    await this.#process.kill()
  }
}

const portLine = new RegExp(`^${portWord} (\\d+)$`, 'm')

/** Path of a directory relative to the root of a server; `''`, the root, for a directory outside of it. */
export function pathBelow(root: string, directory: string): string {
  const path = relative(root, directory)
  return path.startsWith('..') || isAbsolute(path) ? '' : path.split(sep).join('/')
}
