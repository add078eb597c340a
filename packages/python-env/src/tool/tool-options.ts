import { engineOptionsShape, parseOptions } from '@fenced/core'
import { warmOptionSchema } from '@fenced/python-runner'
import { z } from 'zod'
import type { PythonEnvironment } from '../python-environment.ts'
import { WorkingDirectory } from '../working-directory.ts'

const { timeoutMs, maxOutputBytes, redact, missingPackages, installablePackages } = engineOptionsShape

/** The options of `PythonCodeExecutionTool`, as a schema. */
export const pythonCodeExecutionToolOptionsSchema = z.strictObject({
  /** Whose Python runs the programs. It is made ready by the first call, and stopped by whoever made it. */
  environment: z.custom<PythonEnvironment>(isEnvironment, 'must be a Python environment'),
  /** Where programs run, and where their files stay. Default: a temporary one that goes with `stop`. */
  workingDirectory: z.instanceof(WorkingDirectory, { error: 'must be a WorkingDirectory' }).optional(),
  /** Time limit for each program in milliseconds. Default 30 000. */
  timeoutMs: timeoutMs.unwrap().default(30_000),
  /** How many bytes of each stream the output keeps for your program: beginning and end. Default 1 MiB. */
  maxOutputBytes,
  /** How much of what was printed the model reads: beginning and end, in characters. Default 16 000. */
  maxModelOutputLength: z.int().min(0).default(16_000),
  /** Values that neither the model nor your program is to see. Default none. */
  redact,
  /**
   * The packages that a call may ask for, and that `missingPackages: 'install'` may install: as pip takes them, or
   * `any`. Anybody can publish a package under a name that a model may think of, so name them. Default none.
   */
  installablePackages,
  /** Whether a package that a program turns out to lack is installed, or the model told how to get it (`report`). */
  missingPackages,
  /**
   * Whether programs run as forks of one Python that stays, which takes a few milliseconds instead of a start;
   * `preload` names modules that it imports once, for every program. Default `false`.
   */
  warm: warmOptionSchema,
  /** For whoever registers tools by their own name. Default `python_execute_code`. */
  name: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be letters, digits, _ and -, up to 64 of them')
    .default('python_execute_code'),
  /** What the model reads about the tool. Default: what it does and how it is to be used, in English. */
  description: z.string().min(1).optional(),
})

/** Options of `PythonCodeExecutionTool`. */
export type PythonCodeExecutionToolOptions = z.input<typeof pythonCodeExecutionToolOptionsSchema>

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
