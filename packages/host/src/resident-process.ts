import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { knownOptions, type OptionNames } from '@fenced/core/internal'
import { TextTail } from '@fenced/shared'
import { DescendantProcesses } from './descendant-processes.ts'
import { requireDescriptorsForChild } from './descriptors.ts'
import { endAtExit } from './end-at-exit.ts'
import type { Environment } from './program-environment.ts'
import { type ProcessExit, signalGroup, startChild } from './start-child.ts'

/** A program that runs until it is stopped. */
export interface ResidentProgram {
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]]
  /** Directory in which the program starts. */
  readonly cwd: string
  /** The program's complete environment. Nothing is added. */
  readonly env: Environment
  /**
   * Whether the program has an open stdin, which is closed when this process ends, however it ends. Default: `false`, an empty
   * stdin.
   */
  readonly stdin?: boolean
  /**
   * Whether the program stops itself and everything it started when its stdin is closed. If so, it is stopped this way with this
   * process instead of by a signal, after which it could no longer clean up. Default: `false`.
   */
  readonly endsWithStdin?: boolean
  /** Whether stdout can be read from {@link ResidentProcess.output}. Default: `false`, stdout is discarded. */
  readonly stdout?: boolean
}

const residentProgramNames: OptionNames<ResidentProgram> = {
  command: true,
  cwd: true,
  env: true,
  stdin: true,
  endsWithStdin: true,
  stdout: true,
}

/** How much of what it writes is kept for error messages, in UTF-16 code units. */
const tailLength = 8_192

/**
 * A resident program, such as a server, in its own process group. The end of its stderr is kept for error messages. The program
 * and everything it started end with this process.
 */
export class ResidentProcess {
  readonly exited: Promise<ProcessExit>
  readonly #child: ChildProcess
  readonly #descendants = new DescendantProcesses()
  readonly #errors = new TextTail(tailLength)
  readonly #atExit: Disposable
  #hasExited = false

  /** @throws FencedError `INVALID_OPTIONS`; `NO_RESOURCES` if the system allows no more processes or files. */
  constructor(program: ResidentProgram) {
    const known = knownOptions(program, residentProgramNames, 'ResidentProcess')
    const { command, cwd, env, stdin = false, stdout = false, endsWithStdin = false } = known
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

  /** The end of the program's stderr. */
  get stderrTail(): string {
    return this.#errors.text.trim()
  }

  /**
   * Returns {@link stderrTail} once the program has ended and stderr was read in full. Processes that it started may hold stderr
   * open for longer.
   */
  async finalStderr(graceMs: number): Promise<string> {
    await this.exited
    const { stderr } = this.#child
    if (stderr !== null && !stderr.closed) {
      const closed = new Promise<void>((resolve) => stderr.once('close', resolve))
      await Promise.race([closed, sleep(graceMs, undefined, { ref: false })])
    }
    return this.stderrTail
  }

  /** The program's stdin, if it is open. */
  get input(): Writable | null {
    return this.#child.stdin
  }

  /** The program's stdout, if it can be read. */
  get output(): Readable | null {
    return this.#child.stdout
  }

  /** Sets whether the program alone keeps this process alive, which it initially does. */
  setRef(keeps: boolean): void {
    const how = keeps ? 'ref' : 'unref'
    this.#child[how]()
    for (const stream of this.#child.stdio) (stream as Partial<Socket> | null)?.[how]?.()
  }

  write(text: string): void {
    this.#child.stdin?.write(text)
  }

  /** Sends a signal to the program and everything still in its process group. */
  signal(name: NodeJS.Signals): void {
    if (!this.hasExited) signalGroup(this.id, name)
  }

  /** Watches all processes that it starts from now on, in any process group. */
  watchDescendants(): { kill(): void } {
    return new DescendantProcesses(this.#descendants.mark)
  }

  /** Asks the program to exit (`SIGTERM`), and kills it and everything it started after a grace period in milliseconds. */
  async end(graceMs: number): Promise<void> {
    this.signal('SIGTERM')
    await Promise.race([this.exited, sleep(graceMs, undefined, { ref: false })])
    await this.kill()
  }

  /** Kills the program and everything it started immediately. */
  async kill(): Promise<void> {
    this.signal('SIGKILL')
    await this.exited
    this.#descendants.kill()
    this.#child.stdin?.destroy()
    this.#child.stdout?.destroy()
    this.#child.stderr?.destroy()
    this.#atExit[Symbol.dispose]()
  }

  /** Like {@link kill}, for moments when it is not possible to wait for anything. */
  killNow(): void {
    this.signal('SIGKILL')
    this.#descendants.kill()
  }
}
