import { type ExecutorOptions, engineOptionsShape, parseOptions } from '@fenced/core/driver'
import { type CommandLineBlockOptions, commandLineBlockShape } from '@fenced/sandbox'
import { type LocalSandboxOptions, localSandboxShape, requireIsolation } from '@fenced/sandbox-local'
import { z } from 'zod'

/** Options of `LocalCommandLineCodeExecutor`. */
export interface LocalExecutorOptions
  extends ExecutorOptions,
    CommandLineBlockOptions,
    Omit<LocalSandboxOptions, 'directory'> {
  /**
   * The directory in which programs run and find their files. Made when it is missing.
   *
   * @default a temporary one, for this user only, which `stop` removes
   */
  readonly workDir?: string | undefined
}

/** The options of `LocalCommandLineCodeExecutor`, as a schema: every field is optional. */
export const localExecutorOptionsSchema = requireIsolation(
  z.strictObject({
    ...engineOptionsShape,
    workDir: z.string().min(1).optional(),
    ...localSandboxShape,
    ...commandLineBlockShape,
  }),
)

/** The options with every default filled in. */
export type LocalSettings = z.output<typeof localExecutorOptionsSchema>

export function readOptions(options: LocalExecutorOptions): LocalSettings {
  return parseOptions(localExecutorOptionsSchema, options, 'LocalCommandLineCodeExecutor')
}
