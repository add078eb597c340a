import { isAbsolute } from 'node:path'
import type { NetworkOption } from '@fenced/core'
import { z } from '@fenced/core/zod'
import { networkOptionSchema } from '@fenced/sandbox/driver'
import { type ContainerLimits, containerLimitsShape } from '../container/container-limits.ts'

/** A directory, file or volume that is visible to the code. */
interface VolumeMount {
  /** Absolute path of a directory or file on the engine's machine, or the name of a volume. */
  readonly source: string
  /** Absolute path in the container at which the code sees it. */
  readonly target: string
  /**
   * Whether the code has read-only access.
   *
   * @default true
   */
  readonly readOnly?: boolean | undefined
}

/** Options for creating and confining the container. */
export interface ContainerOptions extends ContainerLimits {
  /**
   * Hosts that the code can reach: none (`'none'`), everything that the engine's default network reaches (`'open'`), or an
   * allowlist of hosts over HTTP and HTTPS, `{ allowedHosts: ['api.example.com'] }`. With an allowlist, the container itself has no
   * network: this process checks and opens each connection, and the image must contain Python or Node. Any other string is the
   * name of an engine network, such as `my-network`; the code can reach everything on it.
   *
   * @default 'none'
   */
  readonly network?: NetworkOption | string | undefined
  /**
   * Maximum number of processes and threads at a time, including seven helper processes, or ten with `warm`. `false` for no limit.
   *
   * @default 256
   */
  readonly pids?: number | false | undefined
  /**
   * Size limit of the working directory in bytes, and of each other place where programs can write: `/tmp`, `HOME`, `volumes`, a writable root. The working directory is copied, and
   * kept in memory with `/tmp` and `HOME`, so its files count toward `memoryBytes`. With `workDirMode: 'bind'`, the limit must be that
   * of the directory's file system or quota. A start rejects with FencedError `DISK_LIMIT_UNAVAILABLE` if the limit is not in force.
   *
   * @default no limit
   */
  readonly diskBytes?: number | undefined
  /**
   * Whether the root file system is read-only. The working directory, `/tmp` and `HOME` are always writable.
   *
   * @default true
   */
  readonly readOnlyRoot?: boolean | undefined
  /**
   * Linux capabilities to give to the code, such as `SYS_PTRACE`. All others are dropped.
   *
   * @default []
   */
  readonly addCapabilities?: readonly string[] | undefined
  /**
   * Whether programs with a set-user-ID bit are prevented from gaining privileges.
   *
   * @default true
   */
  readonly noNewPrivileges?: boolean | undefined
  /**
   * Whether a small init process reaps orphaned processes.
   *
   * @default true
   */
  readonly init?: boolean | undefined
  /**
   * Additional directories, files or volumes for the code.
   *
   * @default []
   */
  readonly volumes?: readonly VolumeMount[] | undefined
  /**
   * GPUs for the code: all of them, a number, or a list of IDs.
   *
   * @default none
   */
  readonly gpus?: 'all' | number | readonly string[] | undefined
  /**
   * Additional entries for `/etc/hosts`: addresses keyed by name, or `host-gateway` for the engine's machine.
   *
   * @default {}
   */
  readonly extraHosts?: Readonly<Record<string, string>> | undefined
  /**
   * Shell command that runs as the code's user in the working directory of every new container before its first block.
   *
   * @default none
   */
  readonly initCommand?: string | undefined
  /**
   * Fields for the engine's request (Docker Engine API, "Create a container") that have no option here. A field that could weaken
   * the isolation is refused unless `allowWeakerIsolation` is set.
   *
   * @default {}
   */
  readonly createOptions?: Readonly<Record<string, unknown>> | undefined
  /**
   * Whether `createOptions` can weaken the isolation. A notice at every start lists the fields that do.
   *
   * @default false
   */
  readonly allowWeakerIsolation?: boolean | undefined
  /**
   * Name of the container.
   *
   * @default a random name
   */
  readonly containerName?: string | undefined
  /**
   * Whether `stop` removes the container. With `false`, it keeps running, and an executor with the same `containerName` and
   * options reuses it.
   *
   * @default true
   */
  readonly stopContainer?: boolean | undefined
  /**
   * Maximum lifetime of a container, in milliseconds; 0 for no limit. The container then terminates itself, even if this process
   * has exited.
   *
   * @default 86_400_000
   */
  readonly maxLifetimeMs?: number | undefined
  /**
   * Idle timeout of a container, in milliseconds; 0 for no limit. A container that runs no block for this long terminates itself,
   * and the next block gets a new container.
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

/** Schema for the `network` option of a container: as for any sandbox, or the name of an engine network. */
export const containerNetworkSchema = z.union([
  networkOptionSchema,
  z
    .string()
    .regex(
      /^(?!(?:list|allow-all|deny-all)$)./,
      'must be "none", "open", an allowlist or the name of a network',
    ),
])

/** {@link ContainerOptions}, for the executor's schema. */
export const containerOptionsShape = {
  ...containerLimitsShape,
  network: containerNetworkSchema.default('none'),
  pids: z.union([z.int().min(16), z.literal(false)]).default(256),
  diskBytes: z.int().min(65_536).optional(),
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

/** Parsed container options. See {@link containerOptionsShape}. */
export type ContainerSettings = z.output<typeof containerOptionsSchema>

/** Returns the engine network for a container. With an allowlist, this is `none`. */
export function engineNetworkOf({ network }: Pick<ContainerSettings, 'network'>): string {
  if (typeof network === 'object') return 'none'
  return network === 'open' ? 'bridge' : network
}

/** Whether a volume's source is a path and not a name. */
export function isPath(source: string): boolean {
  return isAbsolute(source) || /^[a-zA-Z]:[\\/]/.test(source)
}
