import { type ExecutorOptions, engineOptionsShape } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import { type CommandLineBlockOptions, commandLineBlockShape } from '@fenced/sandbox'
import {
  isPodOrClaim,
  type KubernetesSandboxOptions,
  kubernetesSandboxShape,
  podOrClaim,
} from './sandbox/sandbox-options.ts'

/** Options for `KubernetesCommandLineCodeExecutor`. */
export interface KubernetesExecutorOptions
  extends ExecutorOptions,
    CommandLineBlockOptions,
    KubernetesSandboxOptions {}

/** Schema for the options of `KubernetesCommandLineCodeExecutor`. Every field is optional. */
export const kubernetesExecutorOptionsSchema = z
  .strictObject({
    ...engineOptionsShape,
    ...kubernetesSandboxShape,
    ...commandLineBlockShape,
  })
  .refine(isPodOrClaim, podOrClaim)

/** Parsed options, with defaults filled in. */
export type KubernetesSettings = z.output<typeof kubernetesExecutorOptionsSchema>
