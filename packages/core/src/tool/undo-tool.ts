import { FencedError } from '@fenced/errors'
import type { CodeExecutor } from '../code-executor.ts'
import { parseOptions } from '../options/parse-options.ts'
import type { SessionRestored } from '../session/python-session.ts'
import { z } from '../zod.ts'
import { toolInput } from './tool-input.ts'

/** Options for {@link undoTool}. */
export interface UndoToolOptions {
  /**
   * Name of the tool, for code that registers tools by their own name. The AI SDK uses the key in `tools` instead.
   *
   * @default 'undo'
   */
  readonly name?: string | undefined
  /**
   * The tool's description for the model.
   *
   * @default a description of what an undo restores and what it does not, in English
   */
  readonly description?: string | undefined
}

const optionsSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be letters, digits, _ and -, up to 64 of them')
    .default('undo'),
  description: z.string().min(1).optional(),
})

/** Input of the tool. */
export interface UndoToolInput {
  /** Number of programs to undo, the newest first. Default: 1. */
  steps?: number | undefined
}

/** A tool in the form that the AI SDK and the agents in `@fenced/agents` accept. */
export interface UndoTool {
  /** Name of the tool. */
  readonly name: string
  /** Description for the model. */
  readonly description: string
  /** Schema of the input. */
  readonly inputSchema: z.ZodType<UndoToolInput>
  /** Undoes programs. Returns what was undone and what was not, as sentences for the model. */
  readonly execute: (input: UndoToolInput) => Promise<string>
}

/**
 * Creates a tool with which a model undoes its last programs: variables, and files in the working directory. Use it next to
 * `codeExecutionTool`. The tool asks nothing, also if the executor has an `ask`.
 *
 * @throws FencedError `INVALID_OPTIONS`, also for an executor without a session.
 * @example
 * const executor = new LocalCommandLineCodeExecutor({ stateful: true })
 * const tools = { execute_code: codeExecutionTool(executor), undo: undoTool(executor) }
 */
export function undoTool(executor: CodeExecutor, options: UndoToolOptions = {}): UndoTool {
  const { name, description = undoText } = parseOptions(optionsSchema, options, 'undoTool')
  const { session } = executor
  if (session === undefined) throw noSession(executor)
  return {
    name,
    description,
    inputSchema: toolInput({
      steps: z.int().min(1).max(100).default(1).describe('Number of programs to undo, the newest first.'),
    }),
    async execute({ steps = 1 }) {
      const restored = await session.undo(steps)
      toldRestorations.add(restored)
      return restored.notices.map(({ message }) => message).join('\n')
    },
  }
}

/** Returns to earlier states that the model reads about otherwise, such as in the result of a tool. Agents do not repeat them. */
export const toldRestorations = new WeakSet<SessionRestored>()

/** What a model reads about an undo. */
const undoText =
  'Undoes the last programs: Python variables, and files in the current directory, are as before them. Calls of tools, network requests and files elsewhere are not undone. Use it after a program that spoiled data, instead of repairing the data.'

function noSession({ name }: CodeExecutor): FencedError {
  return new FencedError({
    code: 'INVALID_OPTIONS',
    message: `The executor "${name}" keeps no Python variables, so nothing can be undone. Create it with \`stateful: true\`.`,
    data: { executor: name, option: 'stateful' },
  })
}
