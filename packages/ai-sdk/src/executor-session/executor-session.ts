import { type CodeExecutor, FencedError } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { z } from 'zod'
import type { SandboxProcess, SandboxSession } from '../ai-sdk.ts'
import { contentOf, untilAborted } from '../session/byte-stream.ts'
import { encodeText } from '../session/text-encoding.ts'
import { wholeFiles } from '../session/whole-files.ts'
import { sessionDescription } from '../session-description.ts'
import { runShell } from './run-shell.ts'
import { ShellFiles } from './shell-files.ts'
import { commandScript } from './shell-script.ts'
import { SpawnedProcess } from './spawned-process.ts'
import { checkBeside, usableWorkDir } from './usable-executor.ts'

/** Options of `toSandboxSession` for an executor. */
export interface ExecutorSessionOptions {
  /** Time limit for each command and each call about files, in milliseconds. Default: the executor's own. */
  readonly timeoutMs?: number | undefined
  /** Time limit for each spawned process, in milliseconds. Default: `timeoutMs`. */
  readonly spawnTimeoutMs?: number | undefined
  /**
   * Makes an executor on the same `workDir`, for every spawned process one of its own, so that other calls go on beside
   * it; it is stopped at the end of the process. Default: a spawned process holds the session's own executor, and all
   * that needs a turn waits for its end.
   */
  readonly createExecutor?: (() => CodeExecutor | Promise<CodeExecutor>) | undefined
}

const optionsSchema = z.strictObject({
  timeoutMs: z.int().min(1).optional(),
  spawnTimeoutMs: z.int().min(1).optional(),
  createExecutor: z
    .custom<() => CodeExecutor | Promise<CodeExecutor>>(
      (value) => typeof value === 'function',
      'must be a function',
    )
    .optional(),
})

/**
 * An executor as the AI SDK's experimental sandbox: `generateText({ experimental_sandbox: toSandboxSession(executor) })`.
 * Its tools then run commands and reach files where the executor runs code, and nowhere else. The executor stays its
 * owner's to stop.
 *
 * Commands are `sh` blocks, one after the other. Calls about files are as well, so that a link, a mount and a right
 * mean what they mean to a command; only a plain file of the working directory is read from this side of it.
 *
 * - `run`: exit codes are the program's own, else Fenced's (124 for the time limit); output is bounded by the
 *   executor's `maxOutputBytes`. `env` goes by the text of the program, which is in a file, not by its arguments.
 * - `spawn`: output that is not UTF-8 has replacement characters. A process waits while 1 MiB of a stream is unread;
 *   cancel the stream that nobody reads. One that was killed has exit code 125.
 *
 * @throws FencedError `INVALID_OPTIONS`; `SANDBOX_NEEDS_SHELL` for an executor that does not run `sh` or keeps the
 * state of its blocks; `SANDBOX_NEEDS_DIRECTORY` for one without a working directory on this machine. Its methods reject
 * with `SANDBOX_INVALID_ARGUMENT`, `SANDBOX_NO_STDIN`, `SANDBOX_OTHER_DIRECTORY`, `SANDBOX_NOT_A_FILE`,
 * `SANDBOX_NOT_A_DIRECTORY` or `SANDBOX_FILE_FAILED`, with the reason of the signal, and as the executor does.
 */
export function executorSession(
  executor: CodeExecutor,
  options: ExecutorSessionOptions = {},
): SandboxSession {
  const settings = parseOptions(optionsSchema, options, 'toSandboxSession')
  const { timeoutMs, spawnTimeoutMs = timeoutMs, createExecutor } = settings
  const workDir = usableWorkDir(executor)
  const { capabilities } = executor
  // Elsewhere the directory has another path, which only the executor knows.
  const isHere = capabilities.isolation === 'none' || capabilities.isolation === 'sandbox'
  const files = new ShellFiles({ executor, workDir, timeoutMs })

  const readFile: SandboxSession['readFile'] = async (call) => {
    const file = await files.open(call)
    return file === null ? null : contentOf(file, call.abortSignal)
  }
  const executorForProcess = async (signal: AbortSignal | undefined) => {
    if (createExecutor === undefined) return { executor, leave: async () => {} }
    await files.makeReady(signal)
    const beside = await createExecutor()
    await checkBeside(beside, workDir)
    return { executor: beside, leave: () => beside.stop() }
  }
  const spawn = async ({ stdin, abortSignal, ...command }: SpawnOptions) => {
    if (stdin === true) throw noStdin()
    const code = commandScript(command)
    const target = await executorForProcess(abortSignal)
    const process: SandboxProcess = new SpawnedProcess({
      ...target,
      code,
      timeoutMs: spawnTimeoutMs,
      abortSignal,
    })
    // Nobody gets one with `stdin`: a caller that asks for it is refused above.
    return process as SandboxProcess & { readonly stdin: never }
  }

  return {
    description: sessionDescription({
      capabilities,
      directory: isHere ? executor.workDir : undefined,
      isSequential: true,
    }),
    run: async ({ abortSignal, ...command }) =>
      runShell(executor, commandScript(command), { signal: abortSignal, timeoutMs }),
    spawn,
    readFile,
    ...wholeFiles(readFile),
    writeFile: async ({ content, ...call }) => files.write(untilAborted(content, call.abortSignal), call),
    writeBinaryFile: async ({ content, ...call }) => files.write(content, call),
    writeTextFile: async ({ content, encoding = 'utf-8', ...call }) =>
      files.write(encodeText(content, encoding), call),
    stat: async (call) => files.stat(call),
    listDirectory: async (call) => files.list(call),
    deleteFile: async (call) => files.delete(call),
  }
}

type SpawnOptions = Parameters<SandboxSession['run']>[0] & { readonly stdin?: boolean }

function noStdin(): FencedError {
  return new FencedError({
    code: 'SANDBOX_NO_STDIN',
    message:
      'A process cannot be spawned with `stdin: true`: programs have no standard input here. Nothing was started. Write the input into a file and let the command read it: `program < input.txt`.',
  })
}
