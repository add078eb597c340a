import { z } from '@fenced/core/zod'

/** Limits or requests for a pod's resources, in Kubernetes notation: `cpu: '500m'`, `memory: '1Gi'`. */
export interface PodAmounts {
  /**
   * CPU.
   *
   * @default '1' for limits, '100m' for requests
   */
  readonly cpu?: string | undefined
  /**
   * Memory.
   *
   * @default '2Gi' for limits, '128Mi' for requests
   */
  readonly memory?: string | undefined
  /**
   * Disk space.
   *
   * @default '2Gi' for limits, '64Mi' for requests
   */
  readonly 'ephemeral-storage'?: string | undefined
}

/** A toleration for a node taint (`Toleration` in the Kubernetes API). */
interface Toleration {
  readonly key?: string | undefined
  readonly operator?: 'Exists' | 'Equal' | undefined
  readonly value?: string | undefined
  readonly effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute' | undefined
  readonly tolerationSeconds?: number | undefined
}

/** Contents of the pod. Settings that have no option are hardened; see the README. */
export interface PodOptions {
  /**
   * Container image. It must contain `/bin/sh`, `sleep`, `env`, `tar` and `dd`.
   *
   * @default 'python:3-slim'
   */
  readonly image?: string | undefined
  /**
   * When a node pulls the image.
   *
   * @default Kubernetes' own default: `Always` for `:latest`, otherwise `IfNotPresent`
   */
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never' | undefined
  /**
   * Names of secrets in the namespace that contain registry credentials.
   *
   * @default []
   */
  readonly imagePullSecrets?: readonly string[] | undefined
  /**
   * The pod's resource limits and requests.
   *
   * @default limits of one CPU, 2 GiB of memory and 2 GiB of disk space
   */
  readonly resources?:
    | { readonly limits?: PodAmounts | undefined; readonly requests?: PodAmounts | undefined }
    | undefined
  /**
   * RuntimeClass for the pod, such as `gvisor` or `kata`.
   *
   * @default the cluster's default
   */
  readonly runtimeClassName?: string | undefined
  /**
   * Labels that a node must have to run the pod.
   *
   * @default {}
   */
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined
  /**
   * Node taints that the pod tolerates.
   *
   * @default []
   */
  readonly tolerations?: readonly Toleration[] | undefined
  /**
   * PriorityClass for the pod.
   *
   * @default the cluster's default
   */
  readonly priorityClassName?: string | undefined
  /**
   * Additional labels for the pod.
   *
   * @default {}
   */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /**
   * Additional annotations for the pod.
   *
   * @default {}
   */
  readonly annotations?: Readonly<Record<string, string>> | undefined
  /**
   * Numeric ID of the code's user and group. With `false`, the image and the cluster decide (as on OpenShift); the user must not
   * be root.
   *
   * @default a random number that no other pod uses
   */
  readonly user?: number | false | undefined
}

const quantity = z
  .string()
  .regex(/^\d+(\.\d+)?(m|k|[KMGTPE]i?)?$/, 'must be a Kubernetes quantity, such as 500m or 2Gi')

/** An amount that is missing or `undefined` is the default: a pod is never without a limit. */
function amounts(defaults: { readonly [Name in keyof PodAmounts]-?: string }) {
  return z
    .strictObject({
      cpu: quantity.default(defaults.cpu),
      memory: quantity.default(defaults.memory),
      'ephemeral-storage': quantity.default(defaults['ephemeral-storage']),
    })
    .prefault({})
}

const words = z.record(z.string().min(1), z.string())

export const podOptionsSchema = z.strictObject({
  image: z.string().min(1).default('python:3-slim'),
  imagePullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).optional(),
  imagePullSecrets: z.array(z.string().min(1)).default([]),
  resources: z
    .strictObject({
      limits: amounts({ cpu: '1', memory: '2Gi', 'ephemeral-storage': '2Gi' }),
      requests: amounts({ cpu: '100m', memory: '128Mi', 'ephemeral-storage': '64Mi' }),
    })
    .prefault({}),
  runtimeClassName: z.string().min(1).optional(),
  nodeSelector: words.default({}),
  tolerations: z
    .array(
      z.strictObject({
        key: z.string().min(1).optional(),
        operator: z.enum(['Exists', 'Equal']).optional(),
        value: z.string().optional(),
        effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).optional(),
        tolerationSeconds: z.int().optional(),
      }),
    )
    .default([]),
  priorityClassName: z.string().min(1).optional(),
  labels: words.default({}),
  annotations: words.default({}),
  user: z
    .union([
      z
        .int()
        .min(1)
        .max(2 ** 31 - 1),
      z.literal(false),
    ])
    .optional(),
})

/** Parsed options, with defaults filled in. */
export type PodSettings = z.output<typeof podOptionsSchema>
