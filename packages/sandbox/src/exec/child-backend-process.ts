import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { PassThrough, pipeline, type Readable, type Writable } from 'node:stream'
import type { BackendProcess, OutputSink } from '@fenced/core/sandbox'

/**
 * A backend process represented by a Node child process: a command such as `ssh`, `nsenter` or `kubectl exec`, which has the
 * process's streams and exit code.
 */
export class ChildBackendProcess implements BackendProcess {
  readonly stdin: Writable | undefined
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves with the child's exit code, or with `undefined` if it could not be started or was ended by a signal. */
  readonly exit: Promise<number | undefined>
  readonly #child: ChildProcess
  #exitCode: number | undefined
  #isLetGo = false

  /** @param child - Must have pipes as stdout and stderr. */
  constructor(child: ChildProcess) {
    this.#child = child
    this.stdin = child.stdin ?? undefined
    // The end of the output shows how the process ended.
    this.stdin?.on('error', () => {})
    this.stdout = kept(child.stdout as Readable)
    this.stderr = kept(child.stderr as Readable)
    this.exit = new Promise((resolve) => {
      child.once('error', () => resolve(undefined))
      child.once('exit', (code) => {
        this.#exitCode = this.#isLetGo ? undefined : (code ?? undefined)
        resolve(code ?? undefined)
      })
    })
  }

  async read(sink: OutputSink): Promise<void> {
    let turn: Promise<void> = Promise.resolve()
    let fault: { readonly cause: unknown } | undefined
    const follow = async (name: 'stdout' | 'stderr') => {
      try {
        for await (const chunk of this[name]) {
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
    return this.#exitCode
  }

  ref(): void {
    for (const part of this.#parts()) part?.ref()
  }

  unref(): void {
    for (const part of this.#parts()) part?.unref()
  }

  /** Kills the child. For the remote process, stdin ends and the output is closed. */
  destroy(): void {
    this.#isLetGo = true
    this.#child.kill()
    for (const stream of this.#child.stdio) stream?.destroy()
  }

  #parts(): readonly (Pick<Socket, 'ref' | 'unref'> | null)[] {
    // Pipes are sockets, although their types say less.
    return [this.#child, ...this.#child.stdio] as unknown as (Socket | null)[]
  }
}

/** Node drops unread output when a child ends, so it goes into a stream that keeps it. */
function kept(stream: Readable): Readable {
  const own = new PassThrough()
  own.on('error', () => {})
  pipeline(stream, own, () => {})
  return own
}
