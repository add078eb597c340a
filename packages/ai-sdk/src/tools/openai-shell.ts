import { parseOptions } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import type { SandboxSession, SandboxToolCall } from '../ai-sdk.ts'
import { runWithin } from './run-within.ts'

/** Options of {@link openaiShell}. */
export interface OpenaiShellOptions {
  /**
   * Time limit for each command if the model sets none, in milliseconds.
   *
   * @default 120_000
   */
  readonly timeoutMs?: number | undefined
  /**
   * Limit on each of a command's output streams for the model if the model sets none, in characters. If a stream is longer, the
   * model reads its beginning and end.
   *
   * @default 30_000
   */
  readonly maxOutputLength?: number | undefined
}

/** Input of OpenAI's `shell` tool, from a model. */
export interface OpenaiShellInput {
  readonly action: {
    readonly commands: readonly string[]
    readonly timeoutMs?: number | undefined
    readonly maxOutputLength?: number | undefined
  }
}

/** Output of OpenAI's `shell` tool, for the model. */
export interface OpenaiShellOutput {
  maxOutputLength?: number
  output: {
    stdout: string
    stderr: string
    outcome: { type: 'timeout' } | { type: 'exit'; exitCode: number }
  }[]
}

const optionsSchema = z.strictObject({
  timeoutMs: z.int().min(1).default(120_000),
  maxOutputLength: z.int().min(0).default(30_000),
})

/**
 * Implements OpenAI's `shell` tool in a sandbox. Commands run one after the other, each in a separate shell.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 * @example
 * ```ts
 * tools: { shell: openai.tools.shell(openaiShell(toSandboxSession(sandbox))) }
 * ```
 */
export function openaiShell(session: SandboxSession, options: OpenaiShellOptions = {}) {
  const defaults = parseOptions(optionsSchema, options, 'openaiShell')
  return {
    execute: async (
      { action }: OpenaiShellInput,
      { abortSignal }: SandboxToolCall = {},
    ): Promise<OpenaiShellOutput> => {
      const { commands, timeoutMs = defaults.timeoutMs, maxOutputLength } = action
      const maxCharacters = maxOutputLength ?? defaults.maxOutputLength
      const output: OpenaiShellOutput['output'] = []
      for (const command of commands) {
        const { exitCode, stdout, stderr } = await runWithin(session, {
          command,
          abortSignal,
          timeoutMs,
          maxCharacters,
        })
        const outcome =
          exitCode === undefined ? { type: 'timeout' as const } : { type: 'exit' as const, exitCode }
        output.push({ stdout, stderr, outcome })
      }
      // OpenAI wants back the limit that its model gave, and no other one.
      return maxOutputLength === undefined ? { output } : { maxOutputLength, output }
    },
  }
}
