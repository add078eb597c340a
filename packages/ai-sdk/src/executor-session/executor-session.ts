import { type CodeExecutor, FencedError } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import type { SandboxProcess, SandboxSession } from '../ai-sdk.ts'
import { refusingUnknownNames } from '../session/known-calls.ts'
import { fileMethods } from '../session/whole-files.ts'
import { sessionDescription } from '../session-description.ts'
import { runShell } from './run-shell.ts'
import { ShellFiles } from './shell-files.ts'
import { commandScript } from './shell-script.ts'
import { SpawnedProcess } from './spawned-process.ts'
import { checkBeside, usableWorkDir } from './usable-executor.ts'

/** Options of `toSandboxSession` for an executor. */
export interface ExecutorSessionOptions {
  /** Time limit for each command and each file operation, in milliseconds. Default: the executor's time limit. */
  readonly timeoutMs?: number | undefined
  /** Time limit for each spawned process, in milliseconds. Default: `timeoutMs`. */
  readonly spawnTimeoutMs?: number | undefined
  /**
   * Creates a separate executor on the same `workDir` for each spawned process, so that other calls can run in the meantime. If the
   * executors are isolated, set `allowSharedWorkDir: true` for it. The executor is stopped when the process exits. Default: a spawned process occupies the session's executor, and other calls wait
   * until the process exits.
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
 * Returns an executor as the AI SDK's experimental sandbox: `generateText({ experimental_sandbox: toSandboxSession(executor) })`.
 * Tools then run commands and access files only where the executor runs code. The caller stops the executor.
 *
 * Commands run as `sh` blocks, one at a time. File operations do too, so links, mounts and permissions have the same effect as in
 * a command. Only regular files in the working directory are read from the host.
 *
 * - `run`: returns the program's exit code, or a Fenced exit code (124 for a timeout). The executor's `maxOutputBytes` limits the
 *   output. `env` is passed in a script file, not in arguments.
 * - `spawn`: streams contain the program's bytes. If the executor has `redact` values, bytes that are not UTF-8 are replaced. A process
 *   waits while 1 MiB of a stream is unread, so cancel the streams that you do not use. A killed process has exit code 125.
 *
 * @throws FencedError `INVALID_OPTIONS`; `SANDBOX_NEEDS_SHELL` if the executor does not run `sh` or keeps state between blocks;
 *   `SANDBOX_NEEDS_DIRECTORY` if it has no working directory on this machine. Methods reject with `SANDBOX_INVALID_ARGUMENT`,
 *   `SANDBOX_NO_STDIN`, `SANDBOX_OTHER_DIRECTORY`, `SANDBOX_NOT_A_FILE`, `SANDBOX_NOT_A_DIRECTORY` or `SANDBOX_FILE_FAILED`, with
 *   the signal's reason, and with the executor's errors.
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
    // The process has no `stdin`: a call with `stdin` was refused above.
    return process as SandboxProcess & { readonly stdin: never }
  }

  return refusingUnknownNames({
    description: sessionDescription({
      capabilities,
      directory: isHere ? executor.workDir : undefined,
      isSequential: true,
    }),
    run: async ({ abortSignal, ...command }) =>
      runShell(executor, commandScript(command), { signal: abortSignal, timeoutMs }),
    spawn,
    ...fileMethods(files),
  })
}

type SpawnOptions = Parameters<SandboxSession['run']>[0] & { readonly stdin?: boolean }

function noStdin(): FencedError {
  return new FencedError({
    code: 'SANDBOX_NO_STDIN',
    message:
      'A process cannot be spawned with `stdin: true`: programs have no standard input here. Nothing was started. Write the input into a file and let the command read it: `program < input.txt`.',
  })
}
