import { parseOptions } from '@fenced/core/driver'
import type { ExecutorSandbox } from '@fenced/core/sandbox'
import { z } from '@fenced/core/zod'
import type { ProcessWithStdin, SandboxSession } from '../ai-sdk.ts'
import { sessionDescription } from '../session-description.ts'
import { refusingUnknownNames } from './known-calls.ts'
import { runCommand } from './run-command.ts'
import { SessionFiles } from './session-files.ts'
import { SessionShell } from './session-shell.ts'
import { fileMethods } from './whole-files.ts'

/** Options of `toSandboxSession` for a sandbox. */
export interface SandboxSessionOptions {
  /**
   * Limit on each output stream of a command started with `run`, in bytes. A command that writes more is killed: its exit code is
   * then 137, and a line at the end of stderr gives the reason. `spawn` has no limit, because its output is read as it arrives.
   *
   * @default 16_777_216
   */
  readonly maxOutputBytes?: number | undefined
}

const optionsSchema = z.strictObject({
  maxOutputBytes: z.int().min(0).default(16_777_216),
})

/** See `toSandboxSession`. */
export function sandboxSession(
  sandbox: ExecutorSandbox,
  options: SandboxSessionOptions = {},
): SandboxSession {
  const { maxOutputBytes } = parseOptions(optionsSchema, options, 'toSandboxSession')
  const shell = new SessionShell(sandbox)
  return refusingUnknownNames({
    description: sessionDescription(sandbox),
    run: async (command) => runCommand(await shell.start(command), { command, maxOutputBytes }),
    // Opens standard input only on request.
    spawn: async (command) => (await shell.spawn(command)) as ProcessWithStdin,
    ...fileMethods(new SessionFiles(sandbox)),
  })
}
