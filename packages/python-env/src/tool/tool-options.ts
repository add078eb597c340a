import type { CodeExecutionToolOptions } from '@fenced/core'
import { engineOptionsShape, parseOptions } from '@fenced/core/driver'
import { codeExecutionToolShape } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import { type WarmOption, warmOptionSchema } from '@fenced/sandbox'
import type { PythonEnvironment } from '../python-environment.ts'
import { type WorkingDirectory, workingDirectorySchema } from '../working-directory.ts'

/** Options of `PythonCodeExecutionTool`: those of `codeExecutionTool`, the environment, and how programs run in it. */
export interface PythonCodeExecutionToolOptions extends CodeExecutionToolOptions {
  /** Environment in which programs run. The first call starts it; the tool does not stop it. */
  readonly pythonEnvironment: PythonEnvironment
  /**
   * Directory for programs and their files, or its path.
   *
   * @default a temporary directory, which `stop` removes
   */
  readonly workDir?: WorkingDirectory | string | undefined
  /**
   * Name of the tool, for code that registers tools under their own names.
   *
   * @default 'python_execute_code'
   */
  readonly name?: string | undefined
  /**
   * Name in questions, shown to the approver.
   *
   * @default `name`
   */
  readonly agent?: string | undefined
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
   * Values to remove from the output, both for the model and for your program.
   *
   * @default []
   */
  readonly redact?: readonly string[] | undefined
  /**
   * Packages that a call can request and that `missingPackages: 'install'` can install, as pip accepts them, or `any`. List
   * specific packages, because attackers publish packages under names that models invent. Other packages are refused without a
   * question, and `ask` decides about these.
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
   * @default true
   */
  readonly warm?: WarmOption | undefined
}

const { timeoutMs, maxOutputBytes, redact, missingPackages, installablePackages } = engineOptionsShape

/** Schema for the options of `PythonCodeExecutionTool`. */
export const pythonCodeExecutionToolOptionsSchema = z.strictObject({
  ...codeExecutionToolShape,
  pythonEnvironment: z.custom<PythonEnvironment>(isEnvironment, 'must be a Python environment'),
  workDir: workingDirectorySchema.optional(),
  name: codeExecutionToolShape.name.unwrap().default('python_execute_code'),
  timeoutMs: timeoutMs.unwrap().default(30_000),
  ...{ maxOutputBytes, redact, installablePackages, missingPackages },
  warm: warmOptionSchema,
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
