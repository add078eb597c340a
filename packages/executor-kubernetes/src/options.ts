import { type ExecutorOptions, engineOptionsShape, parseOptions } from '@fenced/core/driver'
import { type WarmOptions, warmOptionSchema } from '@fenced/sandbox'
import { z } from 'zod'
import { type KubernetesPlaceOptions, kubernetesPlaceShape } from './sandbox/sandbox-options.ts'

/** Options of `KubernetesCommandLineCodeExecutor`. */
export interface KubernetesExecutorOptions extends ExecutorOptions, KubernetesPlaceOptions {
  /**
   * The directory of this machine that is copied to /workspace before each block, and back after it. Made when it is missing.
   *
   * @default a temporary one, for this user only, which `stop` removes
   */
  readonly workDir?: string | undefined
  /**
   * Whether Python blocks run as forks of one Python that stays in the pod, which takes a few milliseconds instead of the start
   * of a process by the cluster. `preload` names modules that it imports once, for every block; then it begins with the
   * executor, and else with the first block. Where that cannot be done a notice says so, and blocks run without it.
   *
   * @default true
   */
  readonly warm?: boolean | WarmOptions | undefined
}

/** The options of `KubernetesCommandLineCodeExecutor`, as a schema: every field is optional. */
export const kubernetesExecutorOptionsSchema = z.strictObject({
  ...engineOptionsShape,
  ...kubernetesPlaceShape,
  workDir: z.string().min(1).optional(),
  warm: warmOptionSchema.default(true),
})

/** The options with every default filled in. */
export type KubernetesSettings = z.output<typeof kubernetesExecutorOptionsSchema>

export function readOptions(options: KubernetesExecutorOptions): KubernetesSettings {
  return parseOptions(kubernetesExecutorOptionsSchema, options, 'KubernetesCommandLineCodeExecutor')
}
