import type { Ask, DecisionLedger } from '@fenced/core'
import { engineOptionsShape, parseOptions } from '@fenced/core/driver'
import { askShape, isAsk, ledgerSchema } from '@fenced/core/internal'
import { type ToolPicturesOptions, toolPicturesSchema } from '@fenced/core/tool'
import { z } from '@fenced/core/zod'
import { type WarmOptions, warmOptionSchema } from '@fenced/sandbox'
import type { PythonEnvironment } from '../python-environment.ts'
import { type WorkingDirectory, workingDirectorySchema } from '../working-directory.ts'

const { timeoutMs, maxOutputBytes, redact, missingPackages, installablePackages } = engineOptionsShape

/** Options of `PythonCodeExecutionTool`. */
export interface PythonCodeExecutionToolOptions {
  /** Environment in which programs run. The first call starts it; the tool does not stop it. */
  readonly pythonEnvironment: PythonEnvironment
  /**
   * Directory for programs and their files, or its path.
   *
   * @default a temporary directory, which `stop` removes
   */
  readonly workDir?: WorkingDirectory | string | undefined
  /**
   * Time limit for each program, in milliseconds.
   *
   * @default 30_000
   */
  readonly timeoutMs?: number | undefined
  /**
   * Limit on each output stream for your program, in bytes. If a stream is longer, its beginning and end are kept.
   *
   * @default 1_048_576
   */
  readonly maxOutputBytes?: number | undefined
  /**
   * Limit on the output for the model, in characters. If the output is longer, its beginning and end are kept.
   *
   * @default 16_000
   */
  readonly maxModelOutputLength?: number | undefined
  /**
   * Whether the model receives the pictures that a program draws with Matplotlib, and how many. Only for models that accept
   * pictures in tool results.
   *
   * @default false
   */
  readonly pictures?: boolean | ToolPicturesOptions | undefined
  /**
   * Values to remove from the output, both for the model and for your program.
   *
   * @default []
   */
  readonly redact?: readonly string[] | undefined
  /**
   * Packages that a call can request and that `missingPackages: 'install'` can install, as pip accepts them, or `any`. List
   * specific packages, because attackers publish packages under names that models invent.
   *
   * @default []
   */
  readonly installablePackages?: readonly string[] | 'any' | undefined
  /**
   * Whether to install a missing package (`install`), or show the model how to get it (`report`).
   *
   * @default 'report'
   */
  readonly missingPackages?: 'report' | 'install' | undefined
  /**
   * Whether programs are forked from a resident Python process, and which modules that process imports. Same as the executors'
   * `warm` option.
   *
   * @default 'auto'
   */
  readonly warm?: 'auto' | boolean | WarmOptions | undefined
  /**
   * Called for the model's programs, for the packages that a call or a program needs, and for other kinds of questions during a
   * run. Packages that are not in `installablePackages` are refused without a question.
   *
   * @default programs run and installable packages are installed without a question
   */
  readonly ask?: Ask | undefined
  /**
   * Time limit for each question, in milliseconds. A question that is not answered in time counts as denied.
   *
   * @default none
   */
  readonly askTimeoutMs?: number | undefined
  /**
   * Ledger of the decisions that `ask` makes about programs, tool calls and installations. See `AskOptions`.
   *
   * @default a ledger in memory, for this tool alone
   */
  readonly ledger?: DecisionLedger | undefined
  /**
   * Name of the tool, for code that registers tools under their own names.
   *
   * @default 'python_execute_code'
   */
  readonly name?: string | undefined
  /**
   * Description of the tool for the model.
   *
   * @default a description in English
   */
  readonly description?: string | undefined
}

/** Schema for the options of `PythonCodeExecutionTool`. */
export const pythonCodeExecutionToolOptionsSchema = z.strictObject({
  pythonEnvironment: z.custom<PythonEnvironment>(isEnvironment, 'must be a Python environment'),
  workDir: workingDirectorySchema.optional(),
  timeoutMs: timeoutMs.unwrap().default(30_000),
  maxOutputBytes,
  maxModelOutputLength: z.int().min(0).default(16_000),
  pictures: toolPicturesSchema,
  redact,
  installablePackages,
  missingPackages,
  warm: warmOptionSchema,
  ask: z.custom<Ask>(isAsk, askShape).optional(),
  askTimeoutMs: timeoutMs.unwrap().optional(),
  ledger: ledgerSchema.optional(),
  name: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be letters, digits, _ and -, up to 64 of them')
    .default('python_execute_code'),
  description: z.string().min(1).optional(),
})

/** The options with every default filled in. */
export type ToolSettings = z.output<typeof pythonCodeExecutionToolOptionsSchema>

export function readToolOptions(options: PythonCodeExecutionToolOptions): ToolSettings {
  return parseOptions(pythonCodeExecutionToolOptionsSchema, options, 'PythonCodeExecutionTool')
}

function isEnvironment(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['createExecutor', 'install'].every((method) => typeof Reflect.get(value, method) === 'function')
  )
}
