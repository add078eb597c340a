import { type exitCodes, FencedError } from '@fenced/core'
import type { BlockIo, StreamName } from '@fenced/core/driver'
import { outcomeOf } from '@fenced/core/sandbox'
import { startProcess } from './host-process.ts'
import type { HostProcessOptions } from './host-process-options.ts'

/** A program and its arguments. No shell takes part. */
export type ProcessCommand = readonly [string, ...string[]]

/** Options of {@link runProcess}. */
export interface ProcessOptions
  extends Pick<HostProcessOptions, 'cwd' | 'env' | 'killGraceMs' | 'descriptors'> {
  /**
   * Commands that run before the program, one after the other, such as a compiler. They share its directory, environment, signal and time
   * limit, and their output is part of its output. The first command that does not exit with 0 determines the outcome; nothing
   * runs after it.
   *
   * @default []
   */
  readonly before?: readonly ProcessCommand[] | undefined
  /**
   * Text that the program reads from its stdin.
   *
   * @default an empty stdin
   */
  readonly input?: string | undefined
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
  /** Whether `ended` was called: then nothing more is started. */
  readonly hasEnded?: boolean
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
 * Runs a program to its end, or until `io.signal` is aborted. Its stdin is `input`, and its output goes to `io.write`, which
 * holds the program back while the promise that it returned is pending. When this resolves or rejects, the program is gone,
 * and everything that it started: its process group, and on Linux also what left the group (`setsid`) without clearing its
 * environment.
 *
 * The program's failure is an outcome: its exit code as a shell reports it (128 + n for signal n). A program that cannot
 * be started is one as well, `invalid` with 127 when it does not exist and else 126.
 *
 * @param command - the program and its arguments. No shell takes part.
 * @throws FencedError `NO_RESOURCES` when the system allows no further process or file. `DRIVER_FAILED` when `io.hasEnded`: a second
 *   program would run without a time limit. The reason of `io.signal` when it was aborted before: then nothing is
 *   started. What `io.write` throws.
 * @example
 * run: ({ path }, io) => runProcess(['ruby', path], { cwd: workDirectory.path }, io)
 */
export async function runProcess(
  command: ProcessCommand,
  { before = [], input, ...options }: ProcessOptions,
  io: ProcessIo,
): Promise<ProcessOutcome> {
  if (io.hasEnded === true) throw hasEnded(command)
  for (const step of before) {
    const outcome = await runToEnd(step, options, { io, onExit: () => {} })
    if (outcome.exitCode === 0) continue
    io.ended?.()
    return outcome
  }
  return await runToEnd(command, { ...options, input }, { io, onExit: () => io.ended?.() })
}

async function runToEnd(
  command: ProcessCommand,
  { input, ...options }: Omit<ProcessOptions, 'before'>,
  { io, onExit }: { readonly io: ProcessIo; readonly onExit: () => void },
): Promise<ProcessOutcome> {
  const { signal, notice = () => {} } = io
  const process = await startProcess(command, {
    ...options,
    ...(input === undefined ? {} : { stdin: 'open' }),
    signal,
    output: (stream, chunk) => io.write(stream, chunk),
  })
  process.stdin?.end(input)
  void process.exited.then(onExit)
  const end = await process.ended
  const outcome = outcomeOf(end, { notice })
  // A process on this machine cannot be lost.
  if (end.kind !== 'exited') return outcome as UnstartedProcess
  const { exitCode, signal: endedBy } = end
  return { exitCode, ...(endedBy === undefined ? {} : { signal: endedBy }) }
}

function hasEnded([program]: ProcessCommand): FencedError {
  return new FencedError({
    code: 'DRIVER_FAILED',
    message: `"${program}" was not started, because the program of this block has already ended. Run a compiler or another first step through the option \`before\` of \`runProcess\`.`,
    data: { program },
  })
}
