import { Duplex } from 'node:stream'
import { FencedError } from '@fenced/core'
import type { ProcessEnd, Sandbox, SandboxProcess } from '@fenced/core/sandbox'
import { lossOf } from '../sandbox-errors.ts'

/** How an attempt to connect went: `unusable` when the relay itself does not work. */
export type RelayState = 'connected' | { readonly refused: string } | { readonly unusable: string }

/** What a relay is started with. */
export interface RelayRequest {
  readonly command: readonly [string, ...string[]]
  readonly port: number
  readonly signal?: AbortSignal | undefined
}

/**
 * What relays say on stderr, each on a line:
 *
 * - `connected`: data follows.
 * - `refused` and why.
 * - `end` and how many bytes it has written: what listens sends no more, and may still read.
 */
const relayWord = 'fenced-relay:'
/** How much of what a relay says is kept, in UTF-16 code units. */
const wordsLength = 8_192

/** The connection that a process in a sandbox passes on. */
export class RelayedConnection extends Duplex {
  /** Rejects when the sandbox or the connection to it is lost before, and when this is destroyed. */
  readonly connected: Promise<RelayState>
  readonly #port: number
  readonly #state = Promise.withResolvers<RelayState>()
  #process: SandboxProcess | undefined
  #ended: ProcessEnd | undefined
  #words = ''
  #received = 0
  /** How many bytes come at all, once that is known. */
  #total: number | undefined
  #onRoom: (() => void) | undefined

  /** Rejects with what `spawn` does. */
  static async start(
    spawn: Sandbox['spawn'],
    { command, port, signal }: RelayRequest,
  ): Promise<RelayedConnection> {
    const connection = new RelayedConnection(port)
    const process = await spawn(command, {
      cwd: '/',
      env: { LC_ALL: 'C' },
      stdin: 'open',
      signal,
      output: (stream, chunk) => (stream === 'stdout' ? connection.#receive(chunk) : connection.#say(chunk)),
    })
    connection.#follow(process, signal)
    return connection
  }

  private constructor(port: number) {
    super({ allowHalfOpen: true })
    this.#port = port
    this.connected = this.#state.promise
    this.connected.catch(() => {})
  }

  /** Keeps this Node process going while it is open, as it does at first. */
  ref(): void {
    this.#process?.ref()
  }

  /** Lets this Node process end although it is open. */
  unref(): void {
    this.#process?.unref()
  }

  override _read(): void {
    this.#onRoom?.()
    this.#onRoom = undefined
  }

  override _write(chunk: Uint8Array, _: string, callback: () => void): void {
    const stdin = this.#process?.stdin
    // What listened has closed the connection. A reader still gets what it sent before.
    const takesMore =
      this.#ended !== undefined || stdin === undefined || stdin.destroyed || stdin.write(chunk)
    if (takesMore) {
      callback()
      return
    }
    const proceed = () => {
      stdin.off('drain', proceed).off('close', proceed)
      callback()
    }
    stdin.on('drain', proceed).on('close', proceed)
  }

  override _final(callback: () => void): void {
    this.#process?.stdin?.end()
    callback()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this._read()
    this.#state.reject(error ?? this.#closed('it was destroyed'))
    // When both directions have ended, the process passes on the rest and ends.
    const isOver = error === null && this.writableFinished && this.readableEnded
    const ended = isOver || this.#ended !== undefined ? this.#process?.ended : this.#process?.kill()
    void Promise.resolve<unknown>(ended).then(
      () => callback(error),
      (failure) => callback(error ?? failure),
    )
  }

  #follow(process: SandboxProcess, signal: AbortSignal | undefined): void {
    this.#process = process
    process.stdin?.on('error', () => {})
    const cancel = () => this.destroy(signal?.reason)
    signal?.addEventListener('abort', cancel, { once: true })
    this.once('close', () => signal?.removeEventListener('abort', cancel))
    process.ended.then(
      (end) => this.#end(end),
      (error) => this.destroy(error),
    )
  }

  #receive(chunk: Uint8Array): void | Promise<void> {
    if (this.destroyed) return
    this.#received += chunk.length
    const hasRoom = this.push(Buffer.from(chunk))
    this.#endAtTotal()
    if (hasRoom || this.readableEnded) return
    return new Promise((resolve) => {
      this.#onRoom = resolve
    })
  }

  /** The lines of `relayWord`; the others are for a message. */
  #say(chunk: Uint8Array): void {
    this.#words = (this.#words + Buffer.from(chunk).toString()).slice(-wordsLength)
    for (let match = nextLine(this.#words); match !== undefined; match = nextLine(this.#words)) {
      this.#words = match.rest
      this.#hear(match.word, match.value)
    }
  }

  #hear(word: string, value: string): void {
    if (word === 'refused') this.#state.resolve({ refused: value })
    if (word === 'connected') this.#state.resolve('connected')
    if (word === 'end') {
      this.#total = Number(value)
      this.#endAtTotal()
    }
  }

  /** What it said on one stream may come before what it wrote on the other. */
  #endAtTotal(): void {
    if (this.#received === this.#total && !this.destroyed) this.push(null)
  }

  #end(end: ProcessEnd): void {
    this.#ended = end
    const loss = lossOf(end, `port ${this.#port} was connected`)
    const words = this.#words.trim().split('\n').at(-1)
    if (loss !== undefined) this.#state.reject(loss)
    else this.#state.resolve({ unusable: words || describe(end) })
    if (this.destroyed) return
    const isWhole = this.#total === undefined || this.#total === this.#received
    if (end.kind === 'exited' && end.exitCode === 0 && isWhole) this.#finish()
    else this.destroy(loss ?? this.#closed(`the connection broke (${words || describe(end)})`))
  }

  /** Nothing more comes, and nothing is taken: it is over once its reader has taken everything. */
  #finish(): void {
    if (this.readableEnded) this.destroy()
    else this.once('end', () => this.destroy())
    if (this.#total === undefined) this.push(null)
  }

  #closed(why: string): FencedError {
    return new FencedError({
      code: 'SANDBOX_PORT_CLOSED',
      message: `Port ${this.#port} of the sandbox: ${why}.`,
      data: { port: `${this.#port}` },
    })
  }
}

function nextLine(words: string): { word: string; value: string; rest: string } | undefined {
  const at = words.indexOf(`${relayWord} `)
  const end = words.indexOf('\n', at)
  if (at === -1 || end === -1) return undefined
  const said = words.slice(at + relayWord.length + 1, end)
  const [word = ''] = said.split(' ', 1)
  return { word, value: said.slice(word.length + 1), rest: words.slice(0, at) + words.slice(end + 1) }
}

function describe(end: ProcessEnd): string {
  return end.kind === 'exited' ? `exit code ${end.exitCode}` : end.message
}
