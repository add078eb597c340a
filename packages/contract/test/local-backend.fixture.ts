import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import type { BackendProcess, ExecOptions, OutputSink, SandboxBackend } from '@fenced/core/sandbox'
import type { BackendUnderTest } from '../src/backend-row.ts'

/** A directory of this machine as a target, without isolation: something for the suite to be tried with. */
export async function create(): Promise<BackendUnderTest> {
  const directory = await mkdtemp(join(tmpdir(), 'fenced-backend-'))
  return { backend: new LocalBackend(directory), directory }
}

/** Processes of this machine, without isolation. */
export class LocalBackend implements SandboxBackend {
  readonly where = 'this machine'
  readonly maxRestMs = Infinity
  readonly #directory: string
  readonly #mark = `FENCED_PLACE=${randomUUID()}`
  #hasEnded = false

  /** @param directory - exists, and is removed with the sandbox. */
  constructor(directory: string) {
    this.#directory = directory
  }

  async exec(command: readonly [string, ...string[]], options: ExecOptions): Promise<BackendProcess> {
    const { cwd, env, stdin, signal } = options
    this.#check(signal)
    const [program, ...args] = command
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...this.#environment(), ...env },
      stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      detached: true,
    })
    return new LocalProcess(child)
  }

  async state(): Promise<'running' | 'ended' | 'unknown'> {
    return this.#hasEnded ? 'ended' : 'running'
  }

  async remove(): Promise<void> {
    this.#hasEnded = true
    // Once more: one that has just been forked, or begins another program, may have been missed.
    for (let without = 0; without < 2; without++) {
      if (await this.#kill()) without = 0
      await delay(20)
    }
    await rm(this.#directory, { recursive: true, force: true })
  }

  async #kill(): Promise<boolean> {
    let found = false
    for (const id of await readdir('/proc')) {
      const environment = await readFile(`/proc/${id}/environ`, 'latin1').catch(() => '')
      if (!environment.includes(this.#mark)) continue
      found = true
      try {
        process.kill(Number(id), 'SIGKILL')
      } catch {
        // It has ended meanwhile.
      }
    }
    return found
  }

  #check(signal: AbortSignal): void {
    signal.throwIfAborted()
    if (this.#hasEnded) throw new FencedError({ code: 'SANDBOX_GONE', message: 'The sandbox was removed.' })
  }

  #environment(): Record<string, string> {
    const [name = '', value = ''] = this.#mark.split('=')
    return { [name]: value }
  }
}

class LocalProcess implements BackendProcess {
  readonly stdin: BackendProcess['stdin']
  readonly #child: ChildProcess
  readonly #streams: { readonly stdout: Readable; readonly stderr: Readable }
  #exitCode: number | undefined

  constructor(child: ChildProcess) {
    this.#child = child
    this.#streams = child as { stdout: Readable; stderr: Readable }
    this.stdin = child.stdin ?? undefined
    this.stdin?.on('error', () => {})
    child.once('error', (error: NodeJS.ErrnoException) => {
      this.#exitCode = error.code === 'ENOENT' ? 127 : 126
    })
    child.once('exit', (code, signal) => {
      this.#exitCode = code ?? 128 + constants.signals[signal as NodeJS.Signals]
    })
  }

  async read(sink: OutputSink): Promise<void> {
    let turn: Promise<void> = Promise.resolve()
    const fault: { cause?: unknown } = {}
    const follow = async (name: 'stdout' | 'stderr') => {
      try {
        for await (const chunk of this.#streams[name]) {
          turn = turn.then(() => sink(name, chunk))
          await turn.catch((cause) => {
            fault.cause = cause
            this.destroy()
          })
        }
      } catch {
        // It was let go of.
      }
    }
    await Promise.all([follow('stdout'), follow('stderr')])
    if ('cause' in fault) throw fault.cause
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

  destroy(): void {
    for (const stream of this.#child.stdio) stream?.destroy()
  }

  /** Pipes are sockets, although their types say less. */
  #parts(): readonly (Pick<Socket, 'ref' | 'unref'> | null)[] {
    return [this.#child, ...this.#child.stdio] as unknown as (Socket | null)[]
  }
}
