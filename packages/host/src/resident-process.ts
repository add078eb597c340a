import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { TextTail } from '@fenced/core/internal'
import { DescendantProcesses } from './descendant-processes.ts'
import { requireDescriptorsForChild } from './descriptors.ts'
import { endAtExit } from './end-at-exit.ts'
import type { Environment } from './program-environment.ts'
import { type ProcessExit, signalGroup, startChild } from './start-child.ts'

/** A program that runs until it is ended. */
export interface ResidentProgram {
  /** The first part is the program. */
  readonly command: readonly [string, ...string[]]
  /** The directory in which it starts. */
  readonly cwd: string
  /** Its whole environment: nothing is added. */
  readonly env: Environment
  /** Whether it has an open stdin, which ends with us however we end. Default: it has an empty one. */
  readonly stdin?: boolean
  /**
   * Whether it ends everything that it started, and itself, when its stdin ends. Then this is how it ends with us, and
   * not by a signal, after which it could see to nothing any more. Default: it does not.
   */
  readonly endsWithStdin?: boolean
  /** Whether its stdout is for us to read, from {@link ResidentProcess.output}. Default: it is thrown away. */
  readonly stdout?: boolean
}

/** How much of what it writes is kept for error messages, in UTF-16 code units. */
const tailLength = 8_192

/**
 * A resident program, such as a server, in a separate process group. Keeps the end of its stderr
 * for error messages. It ends with this process, and everything that it started ends with it.
 */
export class ResidentProcess {
  readonly exited: Promise<ProcessExit>
  readonly #child: ChildProcess
  readonly #descendants = new DescendantProcesses()
  readonly #errors = new TextTail(tailLength)
  readonly #atExit: Disposable
  #hasExited = false

  constructor({ command, cwd, env, stdin = false, stdout = false, endsWithStdin = false }: ResidentProgram) {
    requireDescriptorsForChild()
    const { child, exit } = startChild(command, {
      cwd,
      env: { ...env, ...this.#descendants.mark },
      stdin: stdin ? 'pipe' : 'ignore',
      outputs: [stdout ? 'pipe' : 'ignore', 'pipe'],
    })
    this.#child = child
    child.stderr?.on('data', (chunk: Buffer) => this.#errors.push(chunk))
    child.once('exit', () => {
      this.#hasExited = true
      // Now: later its number may be another process's.
      signalGroup(this.id, 'SIGKILL')
    })
    this.exited = exit.finally(() => {
      this.#hasExited = true
    })
    this.#atExit = endAtExit({
      processId: this.id,
      end: () => (endsWithStdin ? this.#child.stdin?.destroy() : this.killNow()),
      kill: () => this.killNow(),
    })
  }

  get id(): number | undefined {
    return this.#child.pid
  }

  get hasExited(): boolean {
    return this.#hasExited
  }

  /** The end of what it wrote to stderr. */
  get lastWords(): string {
    return this.#errors.text.trim()
  }

  /** {@link lastWords} once it has ended and all of them were read; what it started may hold them open for longer. */
  async finalWords(graceMs: number): Promise<string> {
    await this.exited
    const { stderr } = this.#child
    if (stderr !== null && !stderr.closed) {
      const closed = new Promise<void>((resolve) => stderr.once('close', resolve))
      await Promise.race([closed, sleep(graceMs, undefined, { ref: false })])
    }
    return this.lastWords
  }

  /** Its stdin, if it has an open one. */
  get input(): Writable | null {
    return this.#child.stdin
  }

  /** Its stdout, if it is for us to read. */
  get output(): Readable | null {
    return this.#child.stdout
  }

  /** Whether it alone keeps this process going, as it does at first. */
  setRef(keeps: boolean): void {
    const how = keeps ? 'ref' : 'unref'
    this.#child[how]()
    for (const stream of this.#child.stdio) (stream as Partial<Socket> | null)?.[how]?.()
  }

  write(text: string): void {
    this.#child.stdin?.write(text)
  }

  /** Sends a signal to it and to everything that is still in its process group. */
  signal(name: NodeJS.Signals): void {
    if (!this.hasExited) signalGroup(this.id, name)
  }

  /** Watches all processes that it starts from now on, in any process group. */
  watchDescendants(): { kill(): void } {
    return new DescendantProcesses(this.#descendants.mark)
  }

  /** Asks it to end (`SIGTERM`), ends it after a grace in milliseconds, and with it all that it started. */
  async end(graceMs: number): Promise<void> {
    this.signal('SIGTERM')
    await Promise.race([this.exited, sleep(graceMs, undefined, { ref: false })])
    await this.kill()
  }

  /** Ends it at once, and with it all that it started. */
  async kill(): Promise<void> {
    this.signal('SIGKILL')
    await this.exited
    this.#descendants.kill()
    this.#child.stdin?.destroy()
    this.#child.stdout?.destroy()
    this.#child.stderr?.destroy()
    this.#atExit[Symbol.dispose]()
  }

  /** Like {@link kill}, for a moment in which nothing can be waited for. */
  killNow(): void {
    this.signal('SIGKILL')
    this.#descendants.kill()
  }
}
