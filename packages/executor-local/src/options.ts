import { type ExecutorOptions, engineOptionsShape, parseOptions } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import { type CommandLineBlockOptions, commandLineBlockShape } from '@fenced/sandbox'
import { type LocalSandboxOptions, localSandboxShape, requireIsolation } from '@fenced/sandbox-local'

/** Options for `LocalCommandLineCodeExecutor`. */
export interface LocalExecutorOptions extends ExecutorOptions, CommandLineBlockOptions, LocalSandboxOptions {}

/** Schema for the options of `LocalCommandLineCodeExecutor`. Every field is optional. */
export const localExecutorOptionsSchema = requireIsolation(
  z.strictObject({
    ...engineOptionsShape,
    workDir: z.string().min(1).optional(),
    ...localSandboxShape,
    ...commandLineBlockShape,
  }),
)

/** Parsed options, with defaults filled in. */
export type LocalSettings = z.output<typeof localExecutorOptionsSchema>

export function readOptions(options: LocalExecutorOptions): LocalSettings {
  return parseOptions(localExecutorOptionsSchema, options, 'LocalCommandLineCodeExecutor')
}
