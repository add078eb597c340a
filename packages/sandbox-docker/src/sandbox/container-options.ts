import { isAbsolute } from 'node:path'
import type { NetworkPolicy } from '@fenced/core'
import { type NetworkListSettings, networkPolicySchema } from '@fenced/sandbox/internal'
import { z } from 'zod'
import { type ContainerLimits, containerLimitsShape } from '../container/container-limits.ts'

/** A directory, file or volume that the code sees. */
export interface VolumeMount {
  /**
   * A directory or file of the engine's machine (an absolute path), or the name of a volume.
   */
  readonly source: string
  /**
   * Where the code sees it: an absolute path inside of the container.
   */
  readonly target: string
  /**
   * Whether the code can only read it.
   *
   * @default true
   */
  readonly readOnly?: boolean | undefined
}

/** Options that say how the container is made and confined. */
export interface ContainerOptions extends ContainerLimits {
  /**
   * What the code may reach: nothing (`none`, `deny-all`), all that the engine's own network reaches (`bridge`, `allow-all`), what a network
   * of the engine of another name does, or the hosts of a list, `{ mode: 'custom', allowedHosts: ['api.example.com'] }`, by HTTP and HTTPS.
   * With a list the container has no network either: this process decides and connects. It needs Python or Node in the image.
   *
   * @default 'none'
   */
  readonly network?: string | NetworkPolicy | undefined
  /**
   * How many processes and threads may exist at once, six of them ours, nine with `warm`. `false` for no limit.
   *
   * @default 256
   */
  readonly pids?: number | false | undefined
  /**
   * Whether the root file system is read-only; the working directory, `/tmp` and `HOME` never are.
   *
   * @default true
   */
  readonly readOnlyRoot?: boolean | undefined
  /**
   * Capabilities of the kernel that the code has, such as `SYS_PTRACE`. All others are dropped.
   *
   * @default []
   */
  readonly addCapabilities?: readonly string[] | undefined
  /**
   * Whether programs with a set-user-id bit are kept from giving rights.
   *
   * @default true
   */
  readonly noNewPrivileges?: boolean | undefined
  /**
   * Whether a small init process waits for orphaned processes.
   *
   * @default true
   */
  readonly init?: boolean | undefined
  /**
   * More directories, files or volumes for the code.
   *
   * @default []
   */
  readonly volumes?: readonly VolumeMount[] | undefined
  /**
   * Graphics processors: all of them, how many, or which by their ids.
   *
   * @default none
   */
  readonly gpus?: 'all' | number | readonly string[] | undefined
  /**
   * More names for `/etc/hosts`: the address by name, or `host-gateway` for the engine's machine.
   *
   * @default {}
   */
  readonly extraHosts?: Readonly<Record<string, string>> | undefined
  /**
   * A shell command that is run in every new container before its first block, as the code's user, in the working
   * directory.
   *
   * @default none
   */
  readonly initCommand?: string | undefined
  /**
   * Fields of the engine's request (Docker Engine API, "Create a container") that have no option here. A field that
   * could weaken the isolation is refused unless `allowWeakerIsolation` is set.
   *
   * @default {}
   */
  readonly createOptions?: Readonly<Record<string, unknown>> | undefined
  /**
   * Accepts `createOptions` that weaken the isolation; a notice at every start names them.
   *
   * @default false
   */
  readonly allowWeakerIsolation?: boolean | undefined
  /**
   * The container's name.
   *
   * @default a random one
   */
  readonly containerName?: string | undefined
  /**
   * Whether `stop` removes the container. With `false` it continues to run, and an executor with the same `containerName`
   * and options uses it again.
   *
   * @default true
   */
  readonly stopContainer?: boolean | undefined
  /**
   * How long a container may live, in milliseconds; 0 for no limit. It ends itself then, even if this process has
   * ended.
   *
   * @default 86_400_000
   */
  readonly maxLifetimeMs?: number | undefined
  /**
   * How long a container may live without a block, in milliseconds; 0 for no limit. It ends itself, and the next
   * block gets a new one.
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

/** A path inside a container: a Linux path on every host system. */
const pathInside = z
  .string()
  .regex(/^\/[^:]*$/, 'must be an absolute path inside the container, without a colon')

const volumeSchema = z.strictObject({
  source: z.string().min(1),
  target: pathInside,
  readOnly: z.boolean().default(true),
})

/** {@link ContainerOptions}, for the executor's schema. */
export const containerOptionsShape = {
  ...containerLimitsShape,
  network: z.union([z.string().min(1), networkPolicySchema]).default('none'),
  pids: z.union([z.int().min(16), z.literal(false)]).default(256),
  readOnlyRoot: z.boolean().default(true),
  addCapabilities: z.array(z.string().min(1)).default([]),
  noNewPrivileges: z.boolean().default(true),
  init: z.boolean().default(true),
  volumes: z.array(volumeSchema).default([]),
  gpus: z.union([z.literal('all'), z.int().min(1), z.array(z.string().min(1)).min(1)]).optional(),
  extraHosts: z.record(z.string().min(1), z.string().min(1)).default({}),
  initCommand: z.string().min(1).optional(),
  createOptions: z.record(z.string(), z.unknown()).default({}),
  allowWeakerIsolation: z.boolean().default(false),
  containerName: z
    .string()
    .regex(/^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/, 'must be letters, digits, "_", "." and "-"')
    .optional(),
  stopContainer: z.boolean().default(true),
  maxLifetimeMs: z
    .int()
    .min(0)
    .max(maxMs)
    .default(24 * 3_600_000),
  idleTimeoutMs: z.int().min(0).max(maxMs).default(3_600_000),
  killGraceMs: z.int().min(0).max(60_000).default(1_000),
} as const

const containerOptionsSchema = z.object(containerOptionsShape)

/** See {@link containerOptionsShape}. */
export type ContainerSettings = z.output<typeof containerOptionsSchema>

/** The network of the engine that a container gets. With a list it is none. */
export function engineNetworkOf({ network }: Pick<ContainerSettings, 'network'>): string {
  const mode = typeof network === 'string' ? network : network.mode
  if (mode === 'allow-all') return 'bridge'
  return typeof network === 'object' || mode === 'deny-all' ? 'none' : mode
}

/** The list that is its network. */
export function networkListOf({
  network,
}: Pick<ContainerSettings, 'network'>): NetworkListSettings | undefined {
  return typeof network === 'object' && network.mode === 'custom' ? network : undefined
}

/** Whether a volume's source is a path and not a name. */
export function isPath(source: string): boolean {
  return isAbsolute(source) || /^[a-zA-Z]:[\\/]/.test(source)
}
