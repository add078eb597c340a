import { type ExecutorOptions, engineOptionsShape, parseOptions } from '@fenced/core/driver'
import { type CommandLineBlockOptions, commandLineBlockShape } from '@fenced/sandbox'
import { z } from 'zod'
import {
  isPodOrClaim,
  type KubernetesPodOptions,
  kubernetesPodShape,
  podOrClaim,
} from './sandbox/sandbox-options.ts'

/** Options for `KubernetesCommandLineCodeExecutor`. */
export interface KubernetesExecutorOptions
  extends ExecutorOptions,
    CommandLineBlockOptions,
    KubernetesPodOptions {
  /**
   * Directory on this machine that is copied to `/workspace` before each block and copied back afterward. Created if it does not
   * exist.
   *
   * @default a temporary directory, accessible only to this user, which `stop` removes
   */
  readonly workDir?: string | undefined
}

/** Schema for the options of `KubernetesCommandLineCodeExecutor`. Every field is optional. */
export const kubernetesExecutorOptionsSchema = z
  .strictObject({
    ...engineOptionsShape,
    ...kubernetesPodShape,
    workDir: z.string().min(1).optional(),
    ...commandLineBlockShape,
  })
  .refine(isPodOrClaim, podOrClaim)

/** Parsed options, with defaults filled in. */
export type KubernetesSettings = z.output<typeof kubernetesExecutorOptionsSchema>

export function readOptions(options: KubernetesExecutorOptions): KubernetesSettings {
  return parseOptions(kubernetesExecutorOptionsSchema, options, 'KubernetesCommandLineCodeExecutor')
}
