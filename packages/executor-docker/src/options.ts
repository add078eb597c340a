import { type ExecutorOptions, engineOptionsShape } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import { type CommandLineBlockOptions, commandLineBlockShape } from '@fenced/sandbox'
import {
  type DockerSandboxOptions,
  dockerSandboxShape,
  readContainerOptions,
  requireNamesOfKept,
} from '@fenced/sandbox-docker'

/** Options for `DockerCommandLineCodeExecutor`. */
export interface DockerExecutorOptions
  extends ExecutorOptions,
    CommandLineBlockOptions,
    DockerSandboxOptions {}

/** Schema for the options of `DockerCommandLineCodeExecutor`. Every field is optional. */
export const dockerExecutorOptionsSchema = requireNamesOfKept(
  z.strictObject({
    ...engineOptionsShape,
    ...dockerSandboxShape,
    ...commandLineBlockShape,
  }),
).refine(({ stopContainer, missingPackages }) => stopContainer || missingPackages === 'report', {
  path: ['missingPackages'],
  error: "must be 'report' with `stopContainer: false`, because a container is replaced to get a package",
})

/** Parsed options, with defaults filled in. */
export type DockerSettings = ReturnType<typeof readOptions>

export function readOptions(options: DockerExecutorOptions) {
  return readContainerOptions(dockerExecutorOptionsSchema, options, 'DockerCommandLineCodeExecutor')
}
