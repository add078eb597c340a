import { type CodeExecutor, FencedError } from '@fenced/core'
import { redactorOf } from '@fenced/core/internal'
import type { ExecutorSandbox } from '@fenced/core/sandbox'
import type { SandboxSession } from './ai-sdk.ts'
import { type SandboxSessionOptions, sandboxSession } from './session/sandbox-session.ts'

/**
 * Returns a started sandbox, or the sandbox of an executor, as the AI SDK's experimental sandbox:
 * `generateText({ experimental_sandbox: toSandboxSession(sandbox) })`. Tools then run commands and access files only in that
 * sandbox, concurrently and with standard input. The caller stops the sandbox or the executor. The first call starts an executor
 * that is not started.
 *
 * - Commands run in `bash`, or in `sh` if `bash` is missing. The exit code is the program's, or 128 + n after signal n. The call
 *   rejects if a command did not start or its outcome is unknown.
 * - Paths are resolved as a command would resolve them, including links. Files are accessed by processes in the sandbox, with the
 *   permissions of a command.
 * - A process waits until its streams are read. If nobody reads a stream, 1 MiB of it is kept and the process continues.
 * - Aborting a call's signal ends the call. The call, `wait()` and the streams then reject with the signal's reason.
 * - If the executor has `redact` values, they are replaced in the output of commands, and bytes that are not UTF-8 as well. Files are unchanged.
 * - If the executor has an `ask`, each command asks about the kind `process`, and each file that is written or deleted asks about
 *   the kind `file`. Reading asks nothing. Files are then accessed as by `sandbox.files`, and commands have no standard input. `run`
 *   returns exit code 126 for a command that is denied.
 *
 * @throws FencedError `INVALID_OPTIONS`; `SANDBOX_MISSING` if the executor has no sandbox. Methods reject with `APPROVAL_DENIED`,
 *   `SANDBOX_INVALID_ARGUMENT`, `SANDBOX_NOT_A_FILE`, `SANDBOX_NOT_A_DIRECTORY`, `SANDBOX_FILE_FAILED`, `SANDBOX_COMMAND_FAILED`,
 *   `SANDBOX_GONE`, and with the signal's reason.
 */
export function toSandboxSession(
  target: ExecutorSandbox | CodeExecutor,
  options?: SandboxSessionOptions,
): SandboxSession {
  if ('spawn' in target) return sandboxSession(target, options)
  const { sandbox } = target
  if (sandbox === undefined) throw noSandbox(target)
  return sandboxSession(sandbox, options, {
    makeReady: async (signal) => {
      // No blocks: the call only starts the executor, and asks nothing.
      if (sandbox.id === undefined) await target.execute([], { signal })
    },
    newRedactor: () => redactorOf(target),
  })
}

function noSandbox({ name }: CodeExecutor): FencedError {
  return new FencedError({
    code: 'SANDBOX_MISSING',
    message: `The executor "${name}" has no \`sandbox\` in which a session could run commands. Use an executor from @fenced/executor-local, @fenced/executor-docker or @fenced/executor-kubernetes, or pass a sandbox.`,
    data: { executor: name },
  })
}
