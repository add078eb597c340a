import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { exitCodes } from '@fenced/core'
import { type BlockIo, exitCodeOfSignal, type StreamName } from '@fenced/core/driver'
import { orAfter } from '@fenced/core/internal'
import { execa } from 'execa'
import { isNoResources, noResources, requireDescriptorsForChild, withoutInherited } from './descriptors.ts'
import { EscapedProcesses } from './escaped-processes.ts'
import { type DrainTimes, OutputPump } from './output-pump.ts'
import { type Environment, programEnvironment } from './program-environment.ts'

/** Options of {@link runProcess}. */
export interface ProcessOptions {
  /** The directory in which the program starts. */
  readonly cwd: string
  /**
   * Its whole environment: nothing is added, except a mark by which its processes are found.
   *
   * @default what a program needs to run (PATH, HOME, LANG, ...) of this process's environment, without keys and passwords
   */
  readonly env?: Environment | undefined
  /**
   * How long the program may take to end after SIGTERM before it gets SIGKILL, in milliseconds.
   *
   * @default 1_000
   */
  readonly killGraceMs?: number | undefined
  /**
   * Descriptors of this process that the program gets, from 3 up. It inherits no others.
   *
   * @default []
   */
  readonly descriptors?: readonly number[] | undefined
}

/** What {@link runProcess} reports while a program runs. The `io` of a driver's `run` is one. */
export interface ProcessIo {
  /** Ends the program and everything that it started. */
  readonly signal: AbortSignal
  /**
   * Called with what the program wrote. The chunk's memory is used again, so copy what you keep. While a promise that it
   * returned is pending nothing more is read. When it throws or rejects, the program is ended and {@link runProcess}
   * rejects with the same.
   */
  write(stream: StreamName, chunk: Uint8Array): void | Promise<void>
  /** Called when the program itself has ended and the rest of its output is still to come, or when it could not be started. */
  ended?(): void
  /** `not-started` says why a program could not be started, `left-behind` that a process of it was not found. */
  notice?: BlockIo['notice']
}

/** How a program ended. A driver can return it as its `BlockOutcome`. */
export type ProcessOutcome = EndedProcess | UnstartedProcess

interface EndedProcess {
  /** The program's own, or 128 + n for signal n. */
  readonly exitCode: number
  readonly status?: undefined
  /** The signal that ended it. Absent when it exited. */
  readonly signal?: NodeJS.Signals
}

interface UnstartedProcess {
  readonly status: 'invalid'
  /** 127 when the program does not exist, 126 for every other reason. */
  readonly exitCode: typeof exitCodes.notFound | typeof exitCodes.notExecutable
  readonly signal?: undefined
}

/**
 * Runs a program to its end, or until `io.signal` is aborted. Its stdin is empty, and its output goes to `io.write`, which
 * holds the program back while the promise that it returned is pending. When this resolves or rejects, the program is gone,
 * and everything that it started: its process group, and on Linux also what left the group (`setsid`) without clearing its
 * environment.
 *
 * The program's failure is an outcome: its exit code as a shell reports it (128 + n for signal n). A program that cannot
 * be started is one as well, `invalid` with 127 when it does not exist and else 126.
 *
 * @param command - the program and its arguments. No shell takes part.
 * @throws FencedError `NO_RESOURCES` when the system allows no further process or file. The reason of `io.signal` when it
 *   was aborted before: then nothing is started. What `io.write` throws.
 * @example
 * run: ({ path }, io) => runProcess(['ruby', path], { cwd: workDirectory.path }, io)
 */
export async function runProcess(
  command: readonly [string, ...string[]],
  options: ProcessOptions,
  io: ProcessIo,
): Promise<ProcessOutcome> {
  io.signal.throwIfAborted()
  requireDescriptorsForChild()
  const escaped = new EscapedProcesses()
  const subprocess = start(command, { ...options, mark: escaped.mark, signal: io.signal })
  const child = subprocess.nodeChildProcess
  const sink = new GuardedSink(io, () => {
    // Not once it has ended: its number can be another process's then.
    if (child.kill('SIGKILL')) killGroup(child.pid)
  })
  const pumps = (['stdout', 'stderr'] as const).map(
    (stream) => new OutputPump(child[stream] as Readable, (chunk) => sink.write(stream, chunk)),
  )
  const end = await new Promise<ProcessEnd>((resolve) => {
    child.once('error', (error) => resolve({ notStarted: error }))
    // Where nothing could be started execa has a child of its own making, which reports nothing.
    void subprocess.then(({ cause }) => {
      if (child.pid === undefined) resolve({ notStarted: toError(cause) })
    })
    child.once('exit', (code, signal) => resolve(signal === null ? { exitCode: code ?? 0 } : endedBy(signal)))
  })
  io.ended?.()
  // The program has ended, but a process that it left behind may hold its streams open for ever.
  if (!io.signal.aborted) await orAfter(Promise.all(pumps.map((pump) => pump.done)), afterglowMs)
  killGroup(child.pid)
  escaped.kill()
  const areRead = await Promise.all(pumps.map((pump) => pump.drain(drainTimes, io.signal)))
  if (sink.failure !== undefined) throw sink.failure.error
  if (areRead.includes(false)) io.notice?.(leftBehind)
  return 'exitCode' in end ? end : notStarted(end.notStarted, command[0], { ...options, io })
}

/** How long processes that a program leaves behind may still write after its end, in milliseconds. */
const afterglowMs = 100
/** After the end of a program and of all processes that are known to be its own. */
const drainTimes: DrainTimes = { quietMs: 250, longestMs: 1_000 }

const leftBehind = {
  code: 'left-behind',
  message:
    'A process that the program started has left its session and cleared its environment, and still holds the output of the program. It was not found and may go on; what it writes is not read any more.',
}

type ProcessEnd = EndedProcess | { readonly notStarted: NodeJS.ErrnoException }

function start(
  [program, ...args]: readonly [string, ...string[]],
  {
    cwd,
    env = programEnvironment(process.env, { env: {}, inheritEnv: false }),
    killGraceMs = 1_000,
    descriptors = [],
    mark,
    signal,
  }: ProcessOptions & { readonly mark: Environment; readonly signal: AbortSignal },
) {
  return execa(program, args, {
    cwd,
    env: { ...env, ...mark },
    extendEnv: false,
    // Execa takes numbers here as Node does; its types do not have them.
    stdio: [
      'ignore',
      'pipe',
      'pipe',
      ...([...descriptors, ...withoutInherited(3 + descriptors.length)] as 'ignore'[]),
    ],
    encoding: 'buffer',
    buffer: false,
    reject: false,
    cancelSignal: signal,
    forceKillAfterDelay: killGraceMs,
    // A process group of its own, so that a signal reaches everything that is still in it.
    killDescendants: true,
    windowsHide: true,
  })
}

/** A sink whose error ends the program, and is kept. */
class GuardedSink {
  failure: { readonly error: unknown } | undefined
  readonly #io: ProcessIo
  readonly #onFailure: () => void

  constructor(io: ProcessIo, onFailure: () => void) {
    this.#io = io
    this.#onFailure = onFailure
  }

  write(stream: StreamName, chunk: Uint8Array): void | Promise<void> {
    if (this.failure !== undefined) return
    try {
      const taken = this.#io.write(stream, chunk)
      return taken === undefined ? undefined : taken.catch((error: unknown) => this.#fail(error))
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.failure ??= { error }
    this.#onFailure()
  }
}

function notStarted(
  error: NodeJS.ErrnoException,
  program: string,
  { cwd, io }: ProcessOptions & { readonly io: ProcessIo },
): UnstartedProcess {
  if (isNoResources(error)) throw noResources(`start ${program}`, error)
  // The system reports a missing directory as a missing program.
  const why = existsSync(cwd) ? error.message : `its directory ${cwd} does not exist.`
  io.notice?.({ code: 'not-started', message: `${program} could not be started: ${why}` })
  return {
    status: 'invalid',
    exitCode: error.code === 'ENOENT' ? exitCodes.notFound : exitCodes.notExecutable,
  }
}

function toError(cause: unknown): NodeJS.ErrnoException {
  return cause instanceof Error ? cause : new Error(String(cause))
}

function killGroup(leader: number | undefined): void {
  if (leader === undefined || process.platform === 'win32') return
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // ESRCH: no process is left, which is what was wanted.
  }
}

function endedBy(signal: NodeJS.Signals): EndedProcess {
  return { exitCode: exitCodeOfSignal(constants.signals[signal]), signal }
}
