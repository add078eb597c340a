import { isAbsolute } from 'node:path'
import type { StreamName } from '@fenced/core/driver'
import { knownOptions, type OptionNames } from '@fenced/core/internal'
import { TextTail } from '@fenced/shared'
import type { Environment } from './program-environment.ts'
import { runProcess } from './run-process.ts'
import { requireTrusted } from './trusted-programs.ts'

/** Options for {@link captureOutput}. */
export interface CaptureOptions {
  /**
   * Directory in which the program starts. Python imports modules from this directory unless it runs in isolated mode.
   *
   * @default '/'
   */
  readonly cwd?: string | undefined
  /** The program's complete environment. Nothing is added. */
  readonly env: NodeJS.ProcessEnv
  /**
   * Time limit for the program, in milliseconds. After that, it is stopped.
   *
   * @default no limit
   */
  readonly timeoutMs?: number | undefined
  /** Stops the program. {@link captureOutput} then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * Maximum length of output to keep, in UTF-16 code units. The end of the output is kept.
   *
   * @default 1_048_576
   */
  readonly maxLength?: number | undefined
  /**
   * Descriptors of this process that are passed to the program, starting at 3.
   *
   * @default []
   */
  readonly descriptors?: readonly number[] | undefined
  /**
   * Text that the program reads from stdin.
   *
   * @default an empty stdin
   */
  readonly input?: string | undefined
}

const captureOptionNames: OptionNames<CaptureOptions> = {
  cwd: true,
  env: true,
  timeoutMs: true,
  signal: true,
  maxLength: true,
  descriptors: true,
  input: true,
}

/** What a program printed, as UTF-8, and how it ended. */
export interface CapturedOutput {
  readonly stdout: string
  readonly stderr: string
  /** Both streams, in order of arrival. */
  readonly all: string
  readonly exitCode: number
  /** The reason why the program did not exit with 0, in a sentence; `undefined` if it did. */
  readonly failure: string | undefined
}

/**
 * Runs a program that prints something and exits, such as an installer, or an interpreter that is asked for its version. Nothing
 * that it started is left running, and nothing that it started can delay this call: see {@link runProcess}.
 *
 * @param command - The program and its arguments. No shell is involved.
 * @throws FencedError `INVALID_OPTIONS`; `NO_RESOURCES` if the system allows no more processes or files; `PROGRAM_WRITABLE` if sandboxed programs
 *   could replace the program; the signal's reason.
 */
export async function captureOutput(
  command: readonly [string, ...string[]],
  options: CaptureOptions,
): Promise<CapturedOutput> {
  const known = knownOptions(options, captureOptionNames, 'captureOutput()')
  const { cwd = '/', env, timeoutMs, signal, maxLength = 2 ** 20, descriptors, input } = known
  if (isAbsolute(command[0])) requireTrusted(command[0])
  const limit = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
  const capture = new Capture(maxLength)
  let isLate = false
  const { exitCode } = await runProcess(
    command,
    { cwd, env: definedOnly(env), descriptors, input },
    {
      signal: AbortSignal.any([limit, signal].filter((each) => each !== undefined)),
      write: (stream, chunk) => capture.write(stream, chunk),
      ended: () => {
        isLate = limit?.aborted === true
      },
      notice: ({ code, message }) => {
        if (code === 'not-started') capture.problem = message
      },
    },
  )
  signal?.throwIfAborted()
  const late = isLate ? `${command[0]} did not end within ${timeoutMs} ms.` : undefined
  const exit = exitCode === 0 ? undefined : `${command[0]} ended with exit code ${exitCode}.`
  return { ...capture.texts(), exitCode, failure: capture.problem ?? late ?? exit }
}

/** The end of what a program prints, for each stream and for both. */
class Capture {
  problem: string | undefined
  readonly #all: TextTail
  readonly #streams: Readonly<Record<StreamName, TextTail>>

  constructor(maxLength: number) {
    this.#all = new TextTail(maxLength)
    this.#streams = { stdout: new TextTail(maxLength), stderr: new TextTail(maxLength) }
  }

  write(name: StreamName, chunk: Uint8Array): void {
    this.#all.push(this.#streams[name].push(chunk))
  }

  texts(): Pick<CapturedOutput, StreamName | 'all'> {
    const { stdout, stderr } = this.#streams
    return { stdout: stdout.text, stderr: stderr.text, all: this.#all.text }
  }
}

function definedOnly(env: NodeJS.ProcessEnv): Environment {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}
