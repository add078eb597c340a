import type { NetworkOption } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { environmentSchema } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'

import { networkOptionSchema } from '@fenced/sandbox/driver'
import { type ClusterOptions, clusterOptionsSchema } from '../api/cluster-options.ts'
import { type PodOptions, type PodSettings, podOptionsSchema } from '../pod/pod-options.ts'

/** Pod from a warm pool. See {@link KubernetesSandboxOptions.claim}. */
export interface WarmPoolClaim {
  /** Name of a SandboxWarmPool in the namespace. */
  readonly warmPool: string
}

/** Options for `KubernetesSandbox`: the pod, its working directory and where it is created. */
export interface KubernetesSandboxOptions {
  /**
   * Directory on this machine that is copied to `/workspace` before each block and copied back afterward. Created if it does not
   * exist.
   *
   * @default a temporary directory, accessible only to this user, which `stop` removes
   */
  readonly workDir?: string | undefined
  /**
   * The pod's specification.
   *
   * @default a hardened pod that runs `python:3-slim`
   */
  readonly pod?: PodOptions | undefined
  /**
   * Takes a pod that is already running from a kubernetes-sigs/agent-sandbox warm pool (v1beta1), instead of creating one from
   * `pod`. The pool's template determines the pod's contents and isolation. The pod's limits are not reported, and `pids` and
   * `idleTimeoutMs` have no effect.
   *
   * @default none
   */
  readonly claim?: WarmPoolClaim | undefined
  /**
   * The cluster to use.
   *
   * @default the cluster that kubectl would use
   */
  readonly cluster?: ClusterOptions | undefined
  /**
   * Namespace in which pods are created.
   *
   * @default the context's namespace, or `default`
   */
  readonly namespace?: string | undefined
  /**
   * Hosts that the code can reach: none (`'none'`), everything that the cluster lets a pod reach (`'open'`), or an allowlist of
   * hosts over HTTP and HTTPS, `{ allowedHosts: ['api.example.com'] }`. With an allowlist, no traffic leaves the pod directly: this
   * process checks and opens each connection, and the image must contain Python or Node.
   *
   * The closed network is verified. At startup, the executor reads the namespace's NetworkPolicies and tries to reach the outside
   * from the pod. If it cannot confirm that nothing gets out, startup rejects with `NETWORK_NOT_CLOSED`.
   *
   * @default 'none'
   */
  readonly network?: NetworkOption | undefined
  /**
   * Environment variables for every program. They are not stored in the pod specification, where others could read them.
   * Names consist of letters (A-Z, a-z), digits and `_`, and do not begin with a digit.
   *
   * @default {}
   */
  readonly env?: Readonly<Record<string, string>> | undefined
  /**
   * Maximum number of processes and threads at a time. With `false`, or if `pod.user` or `pod.runtimeClassName` is set, only the
   * node's limit applies.
   *
   * @default 256
   */
  readonly pids?: number | false | undefined
  /**
   * Shell command that runs in the working directory of every new pod before its first block.
   *
   * @default none
   */
  readonly initCommand?: string | undefined
  /**
   * Time limit for starting a pod, in milliseconds, including the image pull. A failed pull is retried until this limit, unless
   * the registry does not have the image or denies access to it.
   *
   * @default 300_000
   */
  readonly startTimeoutMs?: number | undefined
  /**
   * Maximum lifetime of a pod, in milliseconds; 0 for no limit. The cluster then terminates the pod, even if this process has
   * exited.
   *
   * @default 86_400_000
   */
  readonly maxLifetimeMs?: number | undefined
  /**
   * Idle timeout of a pod, in milliseconds; 0 for no limit. A pod that runs no block for this long terminates itself, and the
   * next block gets a new pod.
   *
   * @default 3_600_000
   */
  readonly idleTimeoutMs?: number | undefined
  /**
   * Grace period between SIGTERM and SIGKILL when a program is stopped, in milliseconds.
   *
   * @default 1_000
   */
  readonly killGraceMs?: number | undefined
}

const maxMs = 2 ** 40

/** {@link KubernetesSandboxOptions}, for a schema. */
export const kubernetesSandboxShape = {
  workDir: z.string().min(1).optional(),
  pod: podOptionsSchema.optional(),
  claim: z.strictObject({ warmPool: z.string().min(1) }).optional(),
  cluster: clusterOptionsSchema.optional(),
  namespace: z.string().min(1).optional(),
  network: networkOptionSchema.default('none'),
  env: environmentSchema.default({}),
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

const schema = z.strictObject(kubernetesSandboxShape).refine(isPodOrClaim, podOrClaim)

/** Parsed options, with defaults filled in. */
export type KubernetesSandboxSettings = z.output<typeof schema>

/** The pod with every default filled in. */
export function podOf({
  pod = podOptionsSchema.parse({}),
}: Pick<KubernetesSandboxSettings, 'pod'>): PodSettings {
  return pod
}

/** Whether the cluster must let nothing out of the pod: with a list, everything goes through this process. */
export function isClosed({ network }: Pick<KubernetesSandboxSettings, 'network'>): boolean {
  return network !== 'open'
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
