import type { Ask, DecisionLedger } from '@fenced/core'
import { engineOptionsShape, parseOptions } from '@fenced/core/driver'
import { askShape, isAsk, ledgerSchema } from '@fenced/core/internal'
import { type ToolPicturesOptions, toolPicturesSchema } from '@fenced/core/tool'
import { type WarmOptions, warmOptionSchema } from '@fenced/sandbox'
import { z } from 'zod'
import type { PythonEnvironment } from '../python-environment.ts'
import { type WorkingDirectory, workingDirectorySchema } from '../working-directory.ts'

const { timeoutMs, maxOutputBytes, redact, missingPackages, installablePackages } = engineOptionsShape

/** Options of `PythonCodeExecutionTool`. */
export interface PythonCodeExecutionToolOptions {
  /**
   * Environment of the programs. The first call starts it; the tool does not stop it.
   */
  readonly pythonEnvironment: PythonEnvironment
  /**
   * Directory of programs and their files, or its path.
   *
   * @default a temporary directory, which `stop` removes
   */
  readonly workingDirectory?: WorkingDirectory | string | undefined
  /**
   * Time limit for each program in milliseconds.
   *
   * @default 30_000
   */
  readonly timeoutMs?: number | undefined
  /**
   * Limit of each output stream for your program, in bytes. The beginning and the end are kept.
   *
   * @default 1_048_576
   */
  readonly maxOutputBytes?: number | undefined
  /**
   * Limit of the output for the model, in characters. The beginning and the end are kept.
   *
   * @default 16_000
   */
  readonly maxModelOutputLength?: number | undefined
  /**
   * Whether the model is shown the pictures that a program draws with Matplotlib, and how many. For models that take pictures in
   * the result of a tool.
   *
   * @default false
   */
  readonly pictures?: boolean | ToolPicturesOptions | undefined
  /**
   * Values to remove from output, for the model and for your program.
   *
   * @default []
   */
  readonly redact?: readonly string[] | undefined
  /**
   * Packages that a call can request and that `missingPackages: 'install'` can install, as pip accepts them, or `any`. Name the packages:
   * attackers publish packages under names that models invent.
   *
   * @default []
   */
  readonly installablePackages?: readonly string[] | 'any' | undefined
  /**
   * Whether a missing package is installed (`install`), or the model reads how to get it (`report`).
   *
   * @default 'report'
   */
  readonly missingPackages?: 'report' | 'install' | undefined
  /**
   * Whether programs run as forks of a resident Python, and its imports: the option of the executors.
   *
   * @default 'auto'
   */
  readonly warm?: 'auto' | boolean | WarmOptions | undefined
  /**
   * Asked about the programs of the model, about the packages that a call or a program needs, and about the other kinds that occur in a
   * run. Only packages among `installablePackages` are asked about; any other package is refused.
   *
   * @default programs run and installable packages are installed without a question
   */
  readonly ask?: Ask | undefined
  /**
   * Time limit for each question, in milliseconds. An expired question is denied.
   *
   * @default none
   */
  readonly askTimeoutMs?: number | undefined
  /**
   * Records the decisions of `ask` about programs, calls of tools and installations. See `approvedExecutor`.
   *
   * @default a ledger in memory, for this tool alone
   */
  readonly ledger?: DecisionLedger | undefined
  /**
   * The tool's name, for code that registers tools by their own name.
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

/** The options of `PythonCodeExecutionTool`, as a schema. */
export const pythonCodeExecutionToolOptionsSchema = z.strictObject({
  pythonEnvironment: z.custom<PythonEnvironment>(isEnvironment, 'must be a Python environment'),
  workingDirectory: workingDirectorySchema.optional(),
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
