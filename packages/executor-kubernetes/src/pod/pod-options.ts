import { z } from 'zod'

/** How much a pod may use, or is sure of, in the words of Kubernetes: `cpu: '500m'`, `memory: '1Gi'`. */
export interface PodAmounts {
  /** @default '1' for limits, '100m' for requests */
  readonly cpu?: string | undefined
  /** @default '2Gi' for limits, '128Mi' for requests */
  readonly memory?: string | undefined
  /** @default '2Gi' for limits, '64Mi' for requests */
  readonly 'ephemeral-storage'?: string | undefined
}

/** What tolerates the taint of a node (Kubernetes API, `Toleration`). */
export interface Toleration {
  readonly key?: string | undefined
  readonly operator?: 'Exists' | 'Equal' | undefined
  readonly value?: string | undefined
  readonly effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute' | undefined
  readonly tolerationSeconds?: number | undefined
}

/** Of what a pod is made. What is not an option is hardened: see the README. */
export interface PodOptions {
  /**
   * The image. It needs `/bin/sh`, `sleep`, `env`, `tar` and `dd`.
   *
   * @default 'python:3-slim'
   */
  readonly image?: string | undefined
  /**
   * When a node pulls the image.
   *
   * @default as Kubernetes does: `Always` for `:latest`, else `IfNotPresent`
   */
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never' | undefined
  /**
   * Names of secrets of the namespace with logins for registries.
   *
   * @default []
   */
  readonly imagePullSecrets?: readonly string[] | undefined
  /**
   * The limits and the requests of the pod.
   *
   * @default a processor, 2 GiB of memory and 2 GiB of disk at most
   */
  readonly resources?:
    | { readonly limits?: PodAmounts | undefined; readonly requests?: PodAmounts | undefined }
    | undefined
  /**
   * A RuntimeClass of the cluster, such as `gvisor` or `kata`.
   *
   * @default the cluster's own
   */
  readonly runtimeClassName?: string | undefined
  /**
   * Labels that the node must have.
   *
   * @default {}
   */
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined
  /**
   * Taints of nodes that do not keep the pod away.
   *
   * @default []
   */
  readonly tolerations?: readonly Toleration[] | undefined
  /**
   * A PriorityClass of the cluster.
   *
   * @default the cluster's own
   */
  readonly priorityClassName?: string | undefined
  /**
   * More labels for the pod.
   *
   * @default {}
   */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /**
   * More annotations for the pod.
   *
   * @default {}
   */
  readonly annotations?: Readonly<Record<string, string>> | undefined
  /**
   * The number of the user and group of the code. `false` leaves it to the image and the cluster (OpenShift), which must not be
   * root.
   *
   * @default a random number that no other pod has
   */
  readonly user?: number | false | undefined
}

const quantity = z
  .string()
  .regex(/^\d+(\.\d+)?(m|k|[KMGTPE]i?)?$/, 'must be a quantity of Kubernetes, such as 500m or 2Gi')

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

/** The options with every default filled in. */
export type PodSettings = z.output<typeof podOptionsSchema>
