import { type ExecutorOptions, engineOptionsShape } from '@fenced/core/driver'
import { type CommandLineBlockOptions, commandLineBlockShape } from '@fenced/sandbox'
import {
  type DockerContainerOptions,
  dockerContainerShape,
  readContainerOptions,
  requireNamesOfKept,
} from '@fenced/sandbox-docker'
import { z } from 'zod'

/** Options of `DockerCommandLineCodeExecutor`. */
export interface DockerExecutorOptions
  extends ExecutorOptions,
    CommandLineBlockOptions,
    DockerContainerOptions {
  /**
   * The directory of this machine that the code finds as /workspace. Made when it is missing.
   *
   * @default a temporary one, for this user only, which `stop` removes after the container
   */
  readonly workDir?: string | undefined
}

/** The options of `DockerCommandLineCodeExecutor`, as a schema: every field is optional. */
export const dockerExecutorOptionsSchema = requireNamesOfKept(
  z.strictObject({
    ...engineOptionsShape,
    ...dockerContainerShape,
    workDir: z.string().min(1).optional(),
    ...commandLineBlockShape,
  }),
  'workDir',
).refine(({ stopContainer, missingPackages }) => stopContainer || missingPackages === 'report', {
  path: ['missingPackages'],
  error: "must be 'report' with `stopContainer: false`, because a container is replaced to get a package",
})

/** The options with every default filled in. */
export type DockerSettings = ReturnType<typeof readOptions>

export function readOptions(options: DockerExecutorOptions) {
  return readContainerOptions(dockerExecutorOptionsSchema, options, 'DockerCommandLineCodeExecutor')
}
