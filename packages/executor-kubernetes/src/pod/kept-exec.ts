import type { Writable } from 'node:stream'
import type { OutputSink } from '@fenced/core/sandbox'
import { scriptLines } from './exec-script.ts'
import type { ExecSocket } from './exec-socket.ts'

interface KeptExecOptions {
  /** Starts `serveScript` in an exec. */
  open(signal: AbortSignal): Promise<ExecSocket>
  /** Waits until the script is read there; rejects, and ends the exec, when it is not. */
  begin(socket: ExecSocket, input: Buffer, signal: AbortSignal): Promise<ExecSocket>
}

/** Idle timeout of a kept exec, in milliseconds: an idle pod should not use connections. */
const restMs = 60_000

/**
 * An exec that stays for one short script after the other. To open a connection costs this process and the cluster more than
 * all else of a block whose Python is warm.
 */
export class KeptExec {
  readonly #options: KeptExecOptions
  #resting: ExecSocket | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: KeptExecOptions) {
    this.#options = options
  }

  /**
   * Starts a script, in the exec that rests or in a new one.
   *
   * @param stdin - the beginning of what it reads.
   * @throws FencedError, and the reason of the signal. Nothing has begun then.
   */
  async run(script: string, signal: AbortSignal, stdin: Buffer = Buffer.of()): Promise<KeptProcess> {
    const input = Buffer.concat([Buffer.from(scriptLines(script)), stdin])
    const kept = this.#take()
    if (kept !== undefined) {
      try {
        return this.#process(await this.#options.begin(kept, input, signal))
      } catch {
        // It was lost while it rested.
        signal.throwIfAborted()
      }
    }
    const opened = await this.#options.open(signal)
    opened.readsAtOnce()
    return this.#process(await this.#options.begin(opened, input, signal))
  }

  close(): void {
    this.#isClosed = true
    this.#take()?.destroy()
  }

  #process(socket: ExecSocket): KeptProcess {
    return new KeptProcess(socket, () => this.#rest(socket))
  }

  #take(): ExecSocket | undefined {
    clearTimeout(this.#timer)
    const socket = this.#resting
    this.#resting = undefined
    socket?.ref()
    return socket
  }

  #rest(socket: ExecSocket): void {
    if (this.#isClosed || this.#resting !== undefined) {
      socket.destroy()
      return
    }
    socket.unref()
    this.#resting = socket
    this.#timer = setTimeout(() => this.#take()?.destroy(), restMs).unref()
  }
}

/** A script in a {@link KeptExec}. The connection does not show its end: the reader recognizes it, and calls `done`. */
export class KeptProcess {
  readonly stdin: Writable
  readonly #socket: ExecSocket
  readonly #rest: () => void
  #isOver = false

  constructor(socket: ExecSocket, rest: () => void) {
    this.#socket = socket
    this.#rest = rest
    this.stdin = socket.stdin
  }

  read(sink: OutputSink): Promise<void> {
    return this.#socket.read(sink)
  }

  /** Called after the script has succeeded. The exec then serves another script. */
  done(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#socket.hold()
    this.#rest()
  }

  destroy(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#socket.destroy()
  }
}
