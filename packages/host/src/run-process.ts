import { type exitCodes, FencedError } from '@fenced/core'
import type { BlockIo, StreamName } from '@fenced/core/driver'
import { knownOptions, type OptionNames } from '@fenced/core/internal'
import { outcomeOf } from '@fenced/core/sandbox'
import { startProcess } from './host-process.ts'
import type { HostProcessOptions } from './host-process-options.ts'

/** A program and its arguments. No shell is involved. */
export type ProcessCommand = readonly [string, ...string[]]

/** Options for {@link runProcess}. */
export interface ProcessOptions
  extends Pick<HostProcessOptions, 'cwd' | 'env' | 'killGraceMs' | 'descriptors'> {
  /**
   * Commands to run one after another before the program, such as a compiler. They share the program's directory, environment,
   * signal and time limit, and their output is part of its output. The first command that does not exit with 0 determines the
   * outcome, and nothing runs after it.
   *
   * @default []
   */
  readonly before?: readonly ProcessCommand[] | undefined
  /**
   * Text that the program reads from stdin.
   *
   * @default an empty stdin
   */
  readonly input?: string | undefined
}

const processOptionNames: OptionNames<ProcessOptions> = {
  cwd: true,
  env: true,
  killGraceMs: true,
  descriptors: true,
  before: true,
  input: true,
}

/** What {@link runProcess} reports while a program runs. The `io` passed to a driver's `run` fits this interface. */
export interface ProcessIo {
  /** Stops the program and everything it started. */
  readonly signal: AbortSignal
  /**
   * Called with what the program wrote. The chunk's memory is reused, so copy what you need. While a returned promise is pending,
   * nothing more is read. If the function throws or rejects, the program is stopped and {@link runProcess} rejects with the same
   * error.
   */
  write(stream: StreamName, chunk: Uint8Array): void | Promise<void>
  /** Called when the program itself has ended, although more output may still arrive, or when it could not be started. */
  ended?(): void
  /** Returns whether `ended` was called. If so, nothing more is started. */
  hasEnded?(): boolean
  /**
   * Called with notices: `not-started` reports why a program could not be started, `left-behind` that one of its processes could
   * not be found.
   */
  notice?: BlockIo['notice']
}

/** How a program ended. A driver can return it as its `BlockOutcome`. */
export type ProcessOutcome = EndedProcess | UnstartedProcess

interface EndedProcess {
  /** The program's own exit code, or 128 + n for signal n. */
  readonly exitCode: number
  readonly status?: undefined
  /** Signal that ended the program. Absent if it exited. */
  readonly signal?: NodeJS.Signals
}

interface UnstartedProcess {
  readonly status: 'invalid'
  /** 127 if the program does not exist, 126 for any other reason. */
  readonly exitCode: typeof exitCodes.notFound | typeof exitCodes.notExecutable
  readonly signal?: undefined
}

/**
 * Runs a program until it ends, or until `io.signal` is aborted. Its stdin is `input`. Its output goes to `io.write`, which holds
 * the program back while a returned promise is pending. When this function resolves or rejects, the program is gone along with
 * everything it started: its process group and, on Linux, anything that left the group (`setsid`) without clearing its
 * environment.
 *
 * If the program fails, that is an outcome: its exit code as a shell reports it (128 + n for signal n). If the program cannot be
 * started, the outcome is `invalid`, with exit code 127 if the program does not exist and 126 otherwise.
 *
 * @param command - The program and its arguments. No shell is involved.
 * @throws FencedError `INVALID_OPTIONS`; `NO_RESOURCES` if the system allows no more processes or files; `DRIVER_FAILED` if `io.hasEnded()` is true,
 *   because a second program would run without a time limit; the reason of `io.signal` if it was already aborted, in which case
 *   nothing is started; errors that `io.write` throws.
 * @example
 * run: ({ path }, io) => runProcess(['ruby', path], { cwd: workDirectory.path }, io)
 */
export async function runProcess(
  command: ProcessCommand,
  given: ProcessOptions,
  io: ProcessIo,
): Promise<ProcessOutcome> {
  const { before = [], input, ...options } = knownOptions(given, processOptionNames, 'runProcess()')
  if (io.hasEnded?.() === true) throw hasEnded(command)
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
    message: `"${program}" was not started because the program of this block has already ended. Run a compiler or another first step with the \`before\` option of \`runProcess\`.`,
    data: { program },
  })
}
