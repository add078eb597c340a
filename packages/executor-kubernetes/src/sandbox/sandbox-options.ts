import type { NetworkPolicy } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { networkOf, networkOptionSchema } from '@fenced/sandbox/internal'
import { z } from 'zod'
import { type ClusterOptions, clusterOptionsSchema } from '../api/cluster-options.ts'
import { type PodOptions, type PodSettings, podOptionsSchema } from '../pod/pod-options.ts'

/** See {@link KubernetesPodOptions.claim}. */
export interface WarmPoolClaim {
  /** The name of a SandboxWarmPool in the namespace. */
  readonly warmPool: string
}

/** Which pod, and where it is made. */
export interface KubernetesPodOptions {
  /**
   * The pod.
   *
   * @default of the image `python:3-slim`, hardened
   */
  readonly pod?: PodOptions | undefined
  /**
   * A pod of a warm pool of kubernetes-sigs/agent-sandbox (v1beta1) instead of one of `pod`: it is there already. What the pod is made
   * of, and how it is confined, says the template of the pool; its limits are not reported, `pids` and `idleTimeoutMs` do not hold.
   *
   * @default none
   */
  readonly claim?: WarmPoolClaim | undefined
  /**
   * The cluster.
   *
   * @default the cluster that kubectl would use
   */
  readonly cluster?: ClusterOptions | undefined
  /**
   * The namespace of the pods.
   *
   * @default the one of the context, or `default`
   */
  readonly namespace?: string | undefined
  /**
   * What the code may reach: nothing (`false`, `deny-all`), all that the cluster gives to a pod (`true`, `allow-all`), or the hosts of a
   * list, `{ mode: 'custom', allowedHosts: ['api.example.com'] }`, by HTTP and HTTPS. With a list nothing leaves the pod either: this
   * process decides and connects, and the image needs Python or Node.
   *
   * That nothing leaves it is a promise: the start reads the NetworkPolicies of the namespace and tries to get out of the pod, and
   * rejects with `NETWORK_NOT_CLOSED` when it does not see that nothing gets out.
   *
   * @default false
   */
  readonly network?: boolean | 'allow-all' | 'deny-all' | NetworkPolicy | undefined
  /**
   * Variables for every program. They are not in the pod, where others could read them.
   *
   * @default {}
   */
  readonly env?: Readonly<Record<string, string>> | undefined
  /**
   * How many processes and threads may exist at once. `false` for no limit but the node's. Without a limit too where `pod.user` is
   * named or `false`, or `pod.runtimeClassName` is.
   *
   * @default 256
   */
  readonly pids?: number | false | undefined
  /**
   * A shell command that is run in every new pod before its first block, in the working directory.
   *
   * @default none
   */
  readonly initCommand?: string | undefined
  /**
   * How long a pod may take to start, in milliseconds, the pull of its image included. A pull that fails is repeated for that long,
   * unless the registry does not have the image or denies access to it.
   *
   * @default 300_000
   */
  readonly startTimeoutMs?: number | undefined
  /**
   * How long a pod may live, in milliseconds; 0 for no limit. The cluster ends it then, even if this process has ended.
   *
   * @default 86_400_000
   */
  readonly maxLifetimeMs?: number | undefined
  /**
   * How long a pod may live without a block, in milliseconds; 0 for no limit. It ends itself, and the next block gets a new one.
   *
   * @default 3_600_000
   */
  readonly idleTimeoutMs?: number | undefined
  /**
   * How long a program may take to end after SIGTERM before it gets SIGKILL, in milliseconds.
   *
   * @default 1_000
   */
  readonly killGraceMs?: number | undefined
}

/** Options of `KubernetesSandbox`. */
export interface KubernetesSandboxOptions extends KubernetesPodOptions {
  /**
   * The directory of this machine that is copied to /workspace before each block, and back after it. Made when it is missing.
   *
   * @default a temporary one, for this user only, which `stop` removes
   */
  readonly directory?: string | undefined
}

const maxMs = 2 ** 40

/** {@link KubernetesPodOptions}, for a schema. */
export const kubernetesPodShape = {
  pod: podOptionsSchema.optional(),
  claim: z.strictObject({ warmPool: z.string().min(1) }).optional(),
  cluster: clusterOptionsSchema.optional(),
  namespace: z.string().min(1).optional(),
  network: networkOptionSchema.default(false),
  env: z.record(z.string().regex(/^[^=\0]+$/), z.string()).default({}),
  pids: z.union([z.int().min(16), z.literal(false)]).default(256),
  initCommand: z.string().min(1).optional(),
  startTimeoutMs: z.int().min(1).max(maxMs).default(300_000),
  maxLifetimeMs: z
    .int()
    .min(0)
    .max(maxMs)
    .default(24 * 3_600_000),
  idleTimeoutMs: z.int().min(0).max(maxMs).default(3_600_000),
  killGraceMs: z.int().min(0).max(60_000).default(1_000),
} as const

/** For a schema: whether what is given goes together. */
export function isPodOrClaim({ pod, claim }: { readonly pod?: unknown; readonly claim?: unknown }): boolean {
  return pod === undefined || claim === undefined
}

/** What is said where it does not. */
export const podOrClaim = {
  path: ['claim'],
  error: 'takes a pod of a warm pool, whose template says what `pod` would',
}

const schema = z
  .strictObject({ ...kubernetesPodShape, directory: z.string().min(1).optional() })
  .refine(isPodOrClaim, podOrClaim)

/** The options with every default filled in. */
export type KubernetesSandboxSettings = z.output<typeof schema>

/** The pod with every default filled in. */
export function podOf({
  pod = podOptionsSchema.parse({}),
}: Pick<KubernetesSandboxSettings, 'pod'>): PodSettings {
  return pod
}

/** Whether the cluster must let nothing out of the pod: with a list, everything goes through this process. */
export function isClosed({ network }: Pick<KubernetesSandboxSettings, 'network'>): boolean {
  return networkOf(network) !== 'allow-all'
}

/** What is bounded for certain. */
export function boundedBy({ pids, pod, claim }: Pick<KubernetesSandboxSettings, 'pids' | 'pod' | 'claim'>) {
  if (claim !== undefined) return { memory: false, processes: false }
  return { memory: true, processes: processLimitOf({ pids, pod }) !== undefined, cpu: true, disk: true }
}

/**
 * The limit counts the processes of a user, so it needs one of the pod's own; a kernel of another kind (gVisor) may not keep it.
 */
export function processLimitOf({
  pids,
  pod,
}: Pick<KubernetesSandboxSettings, 'pids' | 'pod'>): number | undefined {
  const isOwn = pod?.user === undefined && pod?.runtimeClassName === undefined
  return pids === false || !isOwn ? undefined : pids
}

export function readSandboxOptions(options: KubernetesSandboxOptions): KubernetesSandboxSettings {
  return parseOptions(schema, options, 'KubernetesSandbox')
}
