import type { Writable } from 'node:stream'
import type { BackendProcess, OutputSink } from '@fenced/core/sandbox'
import { type Session, type SshConnection, sshFault } from './ssh-connection.ts'

/** A process on the other side. */
export class SshProcess implements BackendProcess {
  readonly stdin: Writable | undefined
  readonly #session: Session
  readonly #connection: SshConnection
  #exitCode: number | undefined
  #isLetGo = false

  constructor(session: Session, connection: SshConnection) {
    this.#session = session
    this.#connection = connection
    this.stdin = session.child.stdin ?? undefined
    void session.exit.then((code) => {
      this.#exitCode = this.#isLetGo ? undefined : code
    })
  }

  async read(sink: OutputSink): Promise<void> {
    let turn: Promise<void> = Promise.resolve()
    let fault: { readonly cause: unknown } | undefined
    const follow = async (name: 'stdout' | 'stderr') => {
      try {
        for await (const chunk of this.#session[name]) {
          // Both streams wait for the same sink.
          turn = turn.then(() => sink(name, chunk))
          await turn
        }
      } catch {
        // A stream that was cut is at its end; what the sink throws is not.
        await turn.catch((cause) => {
          fault ??= { cause }
        })
        this.destroy()
      }
    }
    await Promise.all([follow('stdout'), follow('stderr')])
    if (fault !== undefined) throw fault.cause
  }

  async poll(): Promise<number | undefined> {
    if (this.#exitCode === sshFault && !(await this.#connection.isOpen())) return undefined
    return this.#exitCode
  }

  ref(): void {
    this.#session.ref()
  }

  unref(): void {
    this.#session.unref()
  }

  destroy(): void {
    this.#isLetGo = true
    this.#session.end()
  }
}
