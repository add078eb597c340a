import type { Writable } from 'node:stream'
import type { BackendProcess, OutputSink } from '@fenced/core/sandbox'
import type { ExecSocket, ExecStatus } from './exec-socket.ts'

/** A process in a pod, and the connection to it. */
export class PodProcess implements BackendProcess {
  readonly stdin: Writable | undefined
  readonly #socket: ExecSocket
  #isLetGo = false

  constructor(socket: ExecSocket, hasStdin: boolean) {
    this.#socket = socket
    this.stdin = hasStdin ? socket.stdin : undefined
  }

  read(sink: OutputSink): Promise<void> {
    return this.#socket.read(sink)
  }

  /** The cluster reports the exit code once, with the last message. */
  async poll(): Promise<number | undefined> {
    const { status } = this.#socket
    return status === undefined || this.#isLetGo ? undefined : exitCodeOf(status)
  }

  ref(): void {
    this.#socket.ref()
  }

  unref(): void {
    this.#socket.unref()
  }

  destroy(): void {
    if (this.#socket.status === undefined) this.#isLetGo = true
    this.#socket.destroy()
  }
}

/** `undefined` when the cluster says something else than how the command ended. */
function exitCodeOf({ status, reason, details }: ExecStatus): number | undefined {
  if (status === 'Success') return 0
  if (reason !== 'NonZeroExitCode') return undefined
  const cause = details?.causes?.find((each) => each.reason === 'ExitCode')
  const code = Number(cause?.message)
  return Number.isInteger(code) ? code : undefined
}
