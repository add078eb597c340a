import { parseOptions } from '@fenced/core/driver'
import type { ExecutorSandbox } from '@fenced/core/sandbox'
import { z } from '@fenced/core/zod'
import type { ProcessWithStdin, SandboxSession } from '../ai-sdk.ts'
import { checkedCalls } from './checked-calls.ts'
import type { NewRedactor } from './process-output.ts'
import { runCommand } from './run-command.ts'
import { sessionDescription } from './session-description.ts'
import { SessionFiles } from './session-files.ts'
import { SessionShell } from './session-shell.ts'
import { fileMethods } from './whole-files.ts'

/** Options of `toSandboxSession`. */
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

/** What the executor of a sandbox adds to its session. */
interface ExecutorParts {
  /** Awaited before each call. */
  readonly makeReady?: (signal: AbortSignal | undefined) => Promise<void>
  /** Called for each stream of a command. */
  readonly newRedactor?: NewRedactor
}

/** See `toSandboxSession`. */
export function sandboxSession(
  sandbox: ExecutorSandbox,
  options: SandboxSessionOptions = {},
  { makeReady = async () => {}, newRedactor = () => undefined }: ExecutorParts = {},
): SandboxSession {
  const { maxOutputBytes } = parseOptions(optionsSchema, options, 'toSandboxSession')
  const shell = new SessionShell(sandbox, newRedactor)
  const session: SandboxSession = {
    description: sessionDescription(sandbox),
    run: async (command) => runCommand(() => shell.start(command), { command, maxOutputBytes, newRedactor }),
    // Opens standard input only on request.
    spawn: async (command) => (await shell.spawn(command)) as ProcessWithStdin,
    ...fileMethods(new SessionFiles(sandbox)),
  }
  return checkedCalls(session, makeReady)
}
