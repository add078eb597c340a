import { type ExecutorOptions, engineOptionsShape, parseOptions } from '@fenced/core/driver'
import { type WarmOptions, warmOptionSchema } from '@fenced/sandbox'
import { z } from 'zod'
import {
  isPodOrClaim,
  type KubernetesPodOptions,
  kubernetesPodShape,
  podOrClaim,
} from './sandbox/sandbox-options.ts'

/** Options of `KubernetesCommandLineCodeExecutor`. */
export interface KubernetesExecutorOptions extends ExecutorOptions, KubernetesPodOptions {
  /**
   * The directory of this machine that is copied to /workspace before each block, and back after it. Made when it is missing.
   *
   * @default a temporary one, for this user only, which `stop` removes
   */
  readonly workDir?: string | undefined
  /**
   * Whether Python blocks run as forks of one Python that stays in the pod, which takes a few milliseconds instead of the start of a process by the cluster.
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

/** The options of `KubernetesCommandLineCodeExecutor`, as a schema: every field is optional. */
export const kubernetesExecutorOptionsSchema = z
  .strictObject({
    ...engineOptionsShape,
    ...kubernetesPodShape,
    workDir: z.string().min(1).optional(),
    warm: warmOptionSchema,
    figures: z.boolean().default(true),
  })
  .refine(isPodOrClaim, podOrClaim)

/** The options with every default filled in. */
export type KubernetesSettings = z.output<typeof kubernetesExecutorOptionsSchema>

export function readOptions(options: KubernetesExecutorOptions): KubernetesSettings {
  return parseOptions(kubernetesExecutorOptionsSchema, options, 'KubernetesCommandLineCodeExecutor')
}
