import type { CodeExecutor } from '@fenced/core'
import type { ExecutorSandbox } from '@fenced/core/sandbox'
import type { SandboxSession } from './ai-sdk.ts'
import { type ExecutorSessionOptions, executorSession } from './executor-session/executor-session.ts'
import { type SandboxSessionOptions, sandboxSession } from './session/sandbox-session.ts'

/**
 * A started sandbox as the AI SDK's experimental sandbox: `generateText({ experimental_sandbox: toSandboxSession(sandbox) })`.
 * Tools then run commands and access files only there, concurrently, with standard input. The caller stops the sandbox.
 *
 * - Commands run in `bash`, or in `sh` without `bash`. The exit code is that of the program, or 128 + n after signal n. A
 *   command that did not start, or whose end is unknown, rejects.
 * - Paths are those of a command, links included. Processes of the sandbox access files, with the permissions of a command.
 * - A process waits for the reader of a stream. Of a stream without a reader, 1 MiB is kept.
 * - A signal ends a call; the call, `wait()` and the streams reject with its reason.
 *
 * @throws FencedError `INVALID_OPTIONS`. Its methods reject with `SANDBOX_INVALID_ARGUMENT`, `SANDBOX_NOT_A_FILE`,
 * `SANDBOX_NOT_A_DIRECTORY`, `SANDBOX_FILE_FAILED`, `SANDBOX_COMMAND_FAILED`, `SANDBOX_GONE`, and with the reason of the signal.
 */
export function toSandboxSession(sandbox: ExecutorSandbox, options?: SandboxSessionOptions): SandboxSession
/**
 * An executor as the AI SDK's experimental sandbox: every command is a block of it. So its limits, what it redacts and whom it
 * asks hold for commands and files, too; commands take turns and have no standard input. Where that is not needed,
 * `toSandboxSession(executor.sandbox)` has both.
 *
 * @throws FencedError `INVALID_OPTIONS`; `SANDBOX_NEEDS_SHELL` for an executor that does not run `sh` or keeps the
 * state of its blocks; `SANDBOX_NEEDS_DIRECTORY` for one without a working directory on this machine.
 */
export function toSandboxSession(executor: CodeExecutor, options?: ExecutorSessionOptions): SandboxSession
export function toSandboxSession(
  target: ExecutorSandbox | CodeExecutor,
  options: SandboxSessionOptions & ExecutorSessionOptions = {},
): SandboxSession {
  return 'spawn' in target ? sandboxSession(target, options) : executorSession(target, options)
}
