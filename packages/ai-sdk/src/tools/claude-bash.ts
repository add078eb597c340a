import { FencedError } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import type { SandboxSession, SandboxToolCall } from '../ai-sdk.ts'
import { BashShell } from './bash-shell.ts'
import { KeptText } from './kept-text.ts'

/** Options of {@link claudeBash}. */
export interface ClaudeBashOptions {
  /**
   * Time limit for each command, in milliseconds. When it expires, the shell and everything it started are stopped.
   *
   * @default 120_000
   */
  readonly timeoutMs?: number | undefined
  /**
   * Limit on a command's output for the model, in characters. If the output is longer, the model reads its beginning and end.
   *
   * @default 30_000
   */
  readonly maxOutputLength?: number | undefined
}

/** Input of Anthropic's bash tool, from a model. */
export interface ClaudeBashInput {
  readonly command?: string | undefined
  readonly restart?: boolean | undefined
}

const optionsSchema = z.strictObject({
  timeoutMs: z.int().min(1).default(120_000),
  maxOutputLength: z.int().min(0).default(30_000),
})

/**
 * Implements Anthropic's bash tool in a sandbox: one persistent shell that keeps its directory, variables and background
 * processes, as the model expects. Without `execute`, the AI SDK's tool runs each command in a separate shell. The shell is a
 * process in the sandbox and ends with it. Requires bash and a session created from a sandbox, because an executor's session has
 * no standard input.
 *
 * @throws FencedError `INVALID_OPTIONS`. A call rejects with `SANDBOX_INVALID_ARGUMENT`, `SANDBOX_COMMAND_FAILED`, with the
 *   session's errors, and with the reason of the call's signal.
 * @example
 * ```ts
 * tools: { bash: anthropic.tools.bash_20250124(claudeBash(toSandboxSession(sandbox))) }
 * ```
 */
export function claudeBash(session: SandboxSession, options: ClaudeBashOptions = {}) {
  const limits = parseOptions(optionsSchema, options, 'claudeBash')
  let shell: BashShell | undefined
  let last: Promise<unknown> = Promise.resolve()

  const end = async () => {
    const ended = shell
    shell = undefined
    await ended?.end()
  }
  const perform = async ({ command, restart = false }: ClaudeBashInput, { abortSignal }: SandboxToolCall) => {
    abortSignal?.throwIfAborted()
    if (restart) {
      await end()
      return 'The shell was restarted.'
    }
    checkCommand(command)
    shell ??= await BashShell.start(session)
    const output = new KeptText(limits.maxOutputLength)
    const outcome = await shell.run(command, { output, timeoutMs: limits.timeoutMs, abortSignal })
    if (outcome.kind === 'done')
      return outcome.exitCode === 0 ? `${output}` : `${output}[exit code ${outcome.exitCode}]\n`
    await end()
    abortSignal?.throwIfAborted()
    const why =
      outcome.kind === 'late' ? `the command took longer than ${limits.timeoutMs} ms` : 'the command ended it'
    return `${output}[The shell has ended: ${why}. The next command gets a new one.]\n`
  }
  return {
    /** Calls take turns, as they would at one prompt. */
    execute: (input: ClaudeBashInput, call: SandboxToolCall = {}): Promise<string> => {
      const next = last.then(() => perform(input, call))
      last = next.catch(() => {})
      return next
    },
  }
}

function checkCommand(command: string | undefined): asserts command is string {
  const problem =
    command === undefined
      ? 'needs a `command`'
      : command.includes('\0') && 'cannot have a NUL in its `command`'
  if (problem)
    throw new FencedError({
      code: 'SANDBOX_INVALID_ARGUMENT',
      message: `The bash tool ${problem}.`,
      data: { parameter: 'command' },
    })
}
