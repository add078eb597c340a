import { type ExecutorOptions, engineOptionsShape } from '@fenced/core/driver'
import { type WarmOptions, warmOptionSchema } from '@fenced/sandbox'
import {
  type DockerContainerOptions,
  dockerContainerShape,
  readContainerOptions,
  requireNamesOfKept,
} from '@fenced/sandbox-docker'
import { z } from 'zod'

/** Options of `DockerCommandLineCodeExecutor`. */
export interface DockerExecutorOptions extends ExecutorOptions, DockerContainerOptions {
  /**
   * The directory of this machine that the code finds as /workspace. Made when it is missing.
   *
   * @default a temporary one, for this user only, which `stop` removes after the container
   */
  readonly workDir?: string | undefined
  /**
   * Whether Python blocks run as forks of one Python that stays in the container, which takes a few milliseconds instead of the start of a process by the engine.
   * - `'auto'`: as soon as it is there. It starts when the executor has nothing to do, after its start or its first block, and
   *   ends when no block came for five minutes. A block that comes before has an interpreter of its own.
   * - `true`: every block waits for it. `{ preload: ['numpy'] }`: it starts with the executor, and imports modules once for all blocks.
   *   Where that cannot be done a notice says so, and blocks run without it.
   * - `false`: every block has an interpreter of its own.
   *
   * While it is there, blocks of other languages become what runs them in a fork of it.
   *
   * @default 'auto'
   */
  readonly warm?: 'auto' | boolean | WarmOptions | undefined
  /**
   * Whether figures of Matplotlib that a Python block shows, or leaves open at its end, become results of it, as in a notebook; those
   * that it saves itself do not. A block is looked through for the library; others run as with `false`, and so do all where
   * `env` names an `MPLBACKEND`.
   *
   * @default true
   */
  readonly figures?: boolean | undefined
}

/** The options of `DockerCommandLineCodeExecutor`, as a schema: every field is optional. */
export const dockerExecutorOptionsSchema = requireNamesOfKept(
  z.strictObject({
    ...engineOptionsShape,
    ...dockerContainerShape,
    workDir: z.string().min(1).optional(),
    warm: warmOptionSchema,
    figures: z.boolean().default(true),
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
