import type { CodeExecutor } from '@fenced/core'
import type { ExecutorSandbox } from '@fenced/core/sandbox'
import type { SandboxSession } from './ai-sdk.ts'
import { type ExecutorSessionOptions, executorSession } from './executor-session/executor-session.ts'
import { type SandboxSessionOptions, sandboxSession } from './session/sandbox-session.ts'

/**
 * Returns a started sandbox as the AI SDK's experimental sandbox:
 * `generateText({ experimental_sandbox: toSandboxSession(sandbox) })`. Tools then run commands and access files only in that
 * sandbox, concurrently and with standard input. The caller stops the sandbox.
 *
 * - Commands run in `bash`, or in `sh` if `bash` is missing. The exit code is the program's, or 128 + n after signal n. The call
 *   rejects if a command did not start or its outcome is unknown.
 * - Paths are resolved as a command would resolve them, including links. Files are accessed by processes in the sandbox, with the
 *   permissions of a command.
 * - A process waits until its streams are read. If nobody reads a stream, 1 MiB of it is kept and the process continues.
 * - Aborting a call's signal ends the call. The call, `wait()` and the streams then reject with the signal's reason.
 *
 * @throws FencedError `INVALID_OPTIONS`. Methods reject with `SANDBOX_INVALID_ARGUMENT`, `SANDBOX_NOT_A_FILE`,
 *   `SANDBOX_NOT_A_DIRECTORY`, `SANDBOX_FILE_FAILED`, `SANDBOX_COMMAND_FAILED`, `SANDBOX_GONE`, and with the signal's reason.
 */
export function toSandboxSession(sandbox: ExecutorSandbox, options?: SandboxSessionOptions): SandboxSession
/**
 * Returns an executor as the AI SDK's experimental sandbox. Each command runs as one of the executor's blocks, so the executor's
 * limits, redaction and approvals also cover commands and files. Commands take turns and have no standard input. If you do not
 * need these checks, `toSandboxSession(executor.sandbox)` supports both concurrent commands and standard input.
 *
 * @throws FencedError `INVALID_OPTIONS`; `SANDBOX_NEEDS_SHELL` if the executor does not run `sh` or keeps state between blocks;
 *   `SANDBOX_NEEDS_DIRECTORY` if it has no working directory on this machine.
 */
export function toSandboxSession(executor: CodeExecutor, options?: ExecutorSessionOptions): SandboxSession
export function toSandboxSession(
  target: ExecutorSandbox | CodeExecutor,
  options: SandboxSessionOptions & ExecutorSessionOptions = {},
): SandboxSession {
  return 'spawn' in target ? sandboxSession(target, options) : executorSession(target, options)
}
