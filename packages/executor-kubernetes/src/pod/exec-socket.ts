import type { Socket } from 'node:net'
import { Writable } from 'node:stream'
import type { OutputSink } from '@fenced/core/sandbox'
import { z } from '@fenced/core/zod'
import { afterTime } from '@fenced/shared'
import type { WebSocket } from 'ws'
import { Liveness } from './liveness.ts'

/** The channels of an exec (Kubernetes, `v5.channel.k8s.io`): the first byte of each message. */
const channels = { stdin: 0, stdout: 1, stderr: 2, status: 3, close: 255 } as const

const messageSchema = z.object({ reason: z.string().optional(), message: z.string().optional() })

/** How an exec ended, as the cluster says it (its kind `Status`). */
const execStatusSchema = messageSchema.extend({
  status: z.string().optional(),
  details: z.object({ causes: z.array(messageSchema).optional() }).optional(),
})

export type ExecStatus = z.output<typeof execStatusSchema>

/** Interval of keep-alive messages, in milliseconds: proxies close idle connections. */
const pingMs = 5_000

/** The largest message that is sent. */
const maxMessageBytes = 256 * 1024

/** The streams of an exec over one websocket, which is read only as fast as its output is taken. */
export class ExecSocket {
  readonly stdin: Writable
  /** Settles when the connection has ended, however it ended. */
  readonly ended: Promise<void>
  readonly #socket: WebSocket
  readonly #waiting: Buffer[] = []
  readonly #onEnd = Promise.withResolvers<void>()
  readonly #ping: NodeJS.Timeout
  #sink: OutputSink | undefined
  #reading: PromiseWithResolvers<void> | undefined
  #fault: { readonly cause: unknown } | undefined
  #isBusy = false
  #isClosed = false
  #isOver = false
  /** What became of the command, once the cluster has said it. */
  status: ExecStatus | undefined
  readonly #liveness = new Liveness()
  #heldAt = performance.now()

  constructor(socket: WebSocket) {
    this.#socket = socket
    this.ended = this.#onEnd.promise
    this.stdin = this.#makeStdin()
    socket.pause()
    socket.on('message', (data) => {
      this.#liveness.heard()
      this.#waiting.push(data as Buffer)
      void this.#work()
    })
    socket.on('pong', () => this.#liveness.heard())
    socket.on('close', () => {
      this.#isClosed = true
      clearInterval(this.#ping)
      this.stdin.destroy()
      void this.#work()
    })
    // What has come by then is read first: this process may have been busy, or stopped.
    this.#ping = setInterval(() => afterTime(0, () => this.#keepAlive()), pingMs)
    this.#ping.unref()
  }

  /** Passes the output on until the connection has ended, or the output is held back. Rejects with what the sink threw. */
  async read(sink: OutputSink): Promise<void> {
    this.#sink = sink
    this.#reading = Promise.withResolvers<void>()
    const { promise } = this.#reading
    if (this.#isOver) this.#reading.resolve()
    this.#socket.resume()
    // It may have been lost while it rested.
    if (!this.#isClosed && performance.now() - this.#heldAt > pingMs) this.#ask()
    void this.#work()
    await promise
    if (this.#fault !== undefined) throw this.#fault.cause
  }

  /**
   * Holds the output back until the next {@link read}.
   *
   * @param rest - of stdout, which comes first then.
   */
  hold(rest: Uint8Array = Buffer.of()): void {
    if (rest.length > 0) this.#waiting.unshift(Buffer.concat([Buffer.of(channels.stdout), rest]))
    this.#sink = undefined
    this.#heldAt = performance.now()
    this.#socket.pause()
    this.#reading?.resolve()
  }

  /** Declares that stdin is read at once from now on: a connection that takes nothing is then lost after 15 seconds. */
  readsAtOnce(): void {
    this.#liveness.stdin = 'readAtOnce'
  }

  ref(): void {
    socketOf(this.#socket)?.ref()
  }

  unref(): void {
    socketOf(this.#socket)?.unref()
  }

  destroy(): void {
    this.#socket.terminate()
    this.#waiting.length = 0
    this.#sink ??= () => {}
    void this.#work()
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    while (this.#sink !== undefined && this.#waiting.length > 0) await this.#pass(this.#waiting.shift())
    this.#isBusy = false
    if (this.#isClosed && this.#waiting.length === 0) this.#finish()
  }

  #finish(): void {
    this.#isOver = true
    this.#onEnd.resolve()
    this.#reading?.resolve()
  }

  async #pass(message: Buffer | undefined): Promise<void> {
    const channel = message?.[0]
    const content = message?.subarray(1)
    if (content === undefined || content.length === 0) return
    if (channel === channels.status) return this.#end(content)
    if (channel !== channels.stdout && channel !== channels.stderr) return
    try {
      const held = this.#sink?.(channel === channels.stdout ? 'stdout' : 'stderr', content)
      if (held === undefined) return
      this.#socket.pause()
      await held
      this.#liveness.heard()
      if (this.#sink !== undefined) this.#socket.resume()
    } catch (cause) {
      this.#fault ??= { cause }
      this.destroy()
    }
  }

  /** It comes after all output. */
  #end(content: Buffer): void {
    try {
      this.status ??= execStatusSchema.parse(JSON.parse(content.toString('utf8')))
    } catch {
      // Then it is not known.
    }
    this.#socket.close()
    this.#waiting.length = 0
    this.#finish()
  }

  #keepAlive(): void {
    if (this.#isClosed) return
    // One whose output is held back hears nothing.
    if (this.#socket.isPaused) this.#liveness.heard()
    if (this.#liveness.isLost(performance.now())) this.#socket.terminate()
    else this.#ask()
  }

  #ask(): void {
    if (!this.#socket.isPaused) this.#liveness.asked(performance.now())
    this.#socket.ping()
  }

  #makeStdin(): Writable {
    const stdin = new Writable({
      write: (chunk: Buffer, _, done) => {
        // An empty chunk has no message; the stream waits for `done` all the same.
        if (chunk.length === 0) done()
        for (let at = 0; at < chunk.length; at += maxMessageBytes) {
          const part = chunk.subarray(at, at + maxMessageBytes)
          const isLast = at + maxMessageBytes >= chunk.length
          this.#send(channels.stdin, part, isLast ? done : undefined)
        }
      },
      final: (done) => this.#send(channels.close, Buffer.of(channels.stdin), done),
    })
    // The connection has ended, which `close` reports.
    stdin.on('error', () => {})
    return stdin
  }

  #send(channel: number, content: Buffer, done?: (error?: Error | null) => void): void {
    this.#liveness.queued(content.length)
    this.#socket.send(Buffer.concat([Buffer.of(channel), content]), (error) => {
      if (!error) this.#liveness.sent(content.length, performance.now())
      done?.(error)
    })
  }
}

/** Returns the underlying socket of `ws`, which has no public access to it. */
function socketOf(socket: WebSocket): Socket | undefined {
  return (socket as WebSocket & { readonly _socket?: Socket })._socket
}
