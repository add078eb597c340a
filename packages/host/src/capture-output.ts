import { isAbsolute } from 'node:path'
import type { StreamName } from '@fenced/core/driver'
import { TextTail } from '@fenced/core/internal'
import type { Environment } from './program-environment.ts'
import { runProcess } from './run-process.ts'
import { requireTrusted } from './trusted-programs.ts'

/** Options of {@link captureOutput}. */
export interface CaptureOptions {
  /**
   * The directory in which the program starts. A Python takes modules from where it is started, unless it is isolated.
   *
   * @default '/'
   */
  readonly cwd?: string | undefined
  /** Its whole environment: nothing is added. */
  readonly env: NodeJS.ProcessEnv
  /**
   * How long it may take, in milliseconds, before it is ended.
   *
   * @default no limit
   */
  readonly timeoutMs?: number | undefined
  /** Ends the program; then {@link captureOutput} rejects with its reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * How much of its output is kept, in UTF-16 code units: the end.
   *
   * @default 1_048_576
   */
  readonly maxLength?: number | undefined
  /**
   * Descriptors of this process that the program gets, from 3 up.
   *
   * @default []
   */
  readonly descriptors?: readonly number[] | undefined
  /**
   * Text that the program reads from its stdin.
   *
   * @default an empty stdin
   */
  readonly input?: string | undefined
}

/** What a program printed, as UTF-8, and how it ended. */
export interface CapturedOutput {
  readonly stdout: string
  readonly stderr: string
  /** Both in the order in which they came. */
  readonly all: string
  readonly exitCode: number
  /** Why it did not end with 0, in a sentence; `undefined` when it did. */
  readonly failure: string | undefined
}

/**
 * Runs a program that prints something and ends, such as an installer or an interpreter that is asked for its version.
 * Nothing that it started is left, and what it started cannot hold this up: see {@link runProcess}.
 *
 * @param command - the program and its arguments. No shell takes part.
 * @throws FencedError `NO_RESOURCES` when the system allows no further process or file; `PROGRAM_WRITABLE` when programs of a sandbox
 *   could replace the program. The reason of the signal.
 */
export async function captureOutput(
  command: readonly [string, ...string[]],
  { cwd = '/', env, timeoutMs, signal, maxLength = 2 ** 20, descriptors, input }: CaptureOptions,
): Promise<CapturedOutput> {
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
