import { spawn } from 'node:child_process'
import { closeSync, constants, fstatSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { usableTemporaryPath } from '@fenced/core/internal'
import { withoutInherited } from './descriptors.ts'
import { findProgram } from './trusted-programs.ts'

/** Descriptors for both ends of a pipe. Reads do not block, but writes do. */
export interface Pipe {
  readonly read: number
  readonly write: number
}

/** @returns A pipe, or `undefined` if the system has no named pipes or no resources left to create one. */
export async function takePipe(): Promise<Pipe | undefined> {
  return (await takePipes(1))?.[0]
}

/** Pipes for a program's stdout and stderr. */
export class OutputPipes {
  readonly #pipes: readonly [Pipe, Pipe]
  #isGiven = false

  /**
   * Takes two pipes. The pipes that Node makes are pairs of sockets: no program can open its `/dev/stdout` there, and a
   * program that shuts its output down takes it from all the others that share it.
   *
   * @returns `undefined` where the system has no named pipes, or nothing left to make one with, and in these places:
   *   - On Bun and Deno. A `Socket` of a named pipe reads nothing on Bun, and its constructor throws `EEXIST` on Deno.
   *   - In worker threads. When a thread ends, Node closes each descriptor that the thread has opened by `fs.open` and has not
   *     closed by `fs.close`. A `Socket` closes its descriptor in another way, so Node would close what has this number by then: a
   *     connection or a file of another thread.
   */
  static async take(): Promise<OutputPipes | undefined> {
    if (!isMainThread || process.versions.bun !== undefined || process.versions.deno !== undefined)
      return undefined
    const pipes = await takePipes(2)
    return pipes === undefined ? undefined : new OutputPipes(pipes as [Pipe, Pipe])
  }

  private constructor(pipes: readonly [Pipe, Pipe]) {
    this.#pipes = pipes
  }

  /** The descriptors for the program. */
  get descriptors(): readonly [number, number] {
    return [this.#pipes[0].write, this.#pipes[1].write]
  }

  /** Closes the ends of the program, which has them. */
  read(): readonly [Socket, Socket] {
    this.#isGiven = true
    const [stdout, stderr] = this.#pipes.map(({ read, write }) => {
      closeSync(write)
      return new Socket({ fd: read, readable: true, writable: false })
    })
    return [stdout as Socket, stderr as Socket]
  }

  /** Keeps pipes of which no program was started for the next one. */
  putBack(): void {
    if (!this.#isGiven) spare.unshift(...this.#pipes)
  }
}

/** One run of `mkfifo` makes them for several programs, so that most starts do not wait for it. */
const atOnce = 8
const spare: Pipe[] = []
let making: Promise<boolean> | undefined

async function takePipes(count: number): Promise<Pipe[] | undefined> {
  while (spare.length < count) {
    making ??= makeSpare().finally(() => (making = undefined))
    if (!(await making)) return undefined
  }
  return spare.splice(0, count)
}

/** Node can make no pipe. Named pipes are pipes as soon as both ends are open; then their names are removed. */
async function makeSpare(): Promise<boolean> {
  if (process.platform === 'win32') return false
  let directory: string | undefined
  try {
    const program = findProgram('mkfifo')
    if (program === undefined) return false
    directory = mkdtempSync(usableTemporaryPath('fenced-pipes-'))
    const paths = Array.from({ length: atOnce }, (_, index) => join(directory ?? '', `${index}`))
    // A program that has another user opens its `/dev/stdout` as well. No name leads to the pipe by then.
    if (!(await succeeds(program, ['-m', '666', ...paths]))) return false
    for (const path of paths) spare.push(openPipe(path))
    return true
  } catch {
    // There are too few descriptors or processes: what is started next says so, or does without.
    return spare.length >= 2
  } finally {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
  }
}

function succeeds(program: string, words: readonly string[]): Promise<boolean> {
  const child = spawn(program, words, {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', ...withoutInherited(3)],
    timeout: 10_000,
  })
  return new Promise((resolve) => {
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
  })
}

function openPipe(path: string): Pipe {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants
  // To open the writing end waits for a reader. A program gets it as it expects it: blocking.
  const read = openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
  let write: number | undefined
  try {
    write = openSync(path, O_WRONLY | O_NOFOLLOW)
    if (!fstatSync(read).isFIFO() || fstatSync(read).ino !== fstatSync(write).ino) throw new Error('no pipe')
    return { read, write }
  } catch (error) {
    for (const descriptor of [read, write]) if (descriptor !== undefined) closeSync(descriptor)
    throw error
  }
}
