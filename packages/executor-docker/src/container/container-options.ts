import { isAbsolute } from 'node:path'
import { z } from 'zod'

const mebibyte = 2 ** 20
const maxMs = 2 ** 40

/** A path inside a container, which is a Linux path whatever this machine is. */
const pathInside = z
  .string()
  .regex(/^\/[^:]*$/, 'must be an absolute path inside the container, without a colon')

const volumeSchema = z.strictObject({
  /** A directory or file of the engine's machine (an absolute path), or the name of a volume. */
  source: z.string().min(1),
  /** Where the code sees it. */
  target: pathInside,
  /** Whether the code can only read it. Default `true`. */
  readOnly: z.boolean().default(true),
})

/** The options that say how the container is made and confined. */
export const containerOptionsShape = {
  /** Variables for the code, in addition to the image's own. Nothing of this process's environment is passed on. Default none. */
  env: z.record(z.string().regex(/^[^=\0]+$/), z.string()).default({}),
  /**
   * The network of the code: `none`, `bridge` (the engine's own, with a way to the internet), or the name of a network
   * of the engine. Default `none`.
   */
  network: z.string().min(1).default('none'),
  /** How much memory the code may use, in bytes, files in `/tmp` and `HOME` included; no swap is added. Default 2 GiB; `false` for no limit. */
  memoryBytes: z.union([z.int().min(6 * mebibyte), z.literal(false)]).default(2 * 1024 * mebibyte),
  /** How many processors it may use, as a number that may have a fraction. Default 1; `false` for no limit. */
  cpus: z.union([z.number().min(0.01), z.literal(false)]).default(1),
  /** How many processes and threads may exist at once, six of them ours, eight with `warm`. Default 256; `false` for no limit. */
  pids: z.union([z.int().min(16), z.literal(false)]).default(256),
  /**
   * The user of the code: a name of the image, or `uid` or `uid:gid`. Default: the user of this process, so that files
   * in the working directory are theirs; `0:0` on an engine without root, where that is the same one.
   */
  user: z.string().min(1).optional(),
  /** A runtime of the engine, such as `runsc` (gVisor) or `kata`. Default: the engine's own. */
  runtime: z.string().min(1).optional(),
  /** Whether the root file system is read-only; the working directory, `/tmp` and `HOME` never are. Default `true`. */
  readOnlyRoot: z.boolean().default(true),
  /** Capabilities of the kernel that the code has, such as `SYS_PTRACE`. Default none: all are dropped. */
  addCapabilities: z.array(z.string().min(1)).default([]),
  /** Whether programs with a set-user-id bit are kept from giving rights. Default `true`. */
  noNewPrivileges: z.boolean().default(true),
  /** Whether a small init process waits for orphaned processes. Default `true`. */
  init: z.boolean().default(true),
  /** More directories, files or volumes for the code. Default none. */
  volumes: z.array(volumeSchema).default([]),
  /** Graphics processors: all of them, how many, or which by their ids. Default none. */
  gpus: z.union([z.literal('all'), z.int().min(1), z.array(z.string().min(1)).min(1)]).optional(),
  /** More names for `/etc/hosts`: the address by name, or `host-gateway` for the engine's machine. Default none. */
  extraHosts: z.record(z.string().min(1), z.string().min(1)).default({}),
  /** A shell command that is run in every new container before its first block, as the code's user, in the working directory. */
  initCommand: z.string().min(1).optional(),
  /**
   * Fields of the engine's own request (Docker Engine API, "Create a container") that have no option here. One that
   * could weaken the isolation is refused unless `allowWeakerIsolation` is set.
   */
  createOptions: z.record(z.string(), z.unknown()).default({}),
  /** Accepts `createOptions` that weaken the isolation; a notice at every start names them. Default `false`. */
  allowWeakerIsolation: z.boolean().default(false),
  /** The container's name. Default: a random one. */
  containerName: z
    .string()
    .regex(/^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/, 'must be letters, digits, "_", "." and "-"')
    .optional(),
  /** Whether `stop` removes the container. With `false` it lives on, and an executor with the same `containerName` and options goes on with it. Default `true`. */
  stopContainer: z.boolean().default(true),
  /** How long a container may live, in milliseconds. It ends itself, whatever becomes of this process. Default 24 hours; 0 for no limit. */
  maxLifetimeMs: z
    .int()
    .min(0)
    .max(maxMs)
    .default(24 * 3_600_000),
  /** How long a container may live without a block, in milliseconds. It ends itself, and the next block gets a new one. Default 1 hour; 0 for no limit. */
  idleTimeoutMs: z.int().min(0).max(maxMs).default(3_600_000),
  /** How long a program may take to end after SIGTERM before it gets SIGKILL, in milliseconds. Default 1 000. */
  killGraceMs: z.int().min(0).max(60_000).default(1_000),
} as const

const containerOptionsSchema = z.object(containerOptionsShape)

/** See {@link containerOptionsShape}. */
export type ContainerSettings = z.output<typeof containerOptionsSchema>

/** Whether a volume's source is a path and not a name. */
export function isPath(source: string): boolean {
  return isAbsolute(source) || /^[a-zA-Z]:[\\/]/.test(source)
}
