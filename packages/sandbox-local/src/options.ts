import type { NetworkOption } from '@fenced/core'
import { environmentSchema } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'

import { networkOptionSchema } from '@fenced/sandbox/driver'
import { problemOfReadable } from './isolation/readable-paths.ts'

/** Options for `LocalSandbox`. */
export interface LocalSandboxOptions {
  /**
   * Working directory in which processes start and find their files. Created if it does not exist.
   *
   * @default a temporary directory, accessible only to this user, which `stop` removes
   */
  readonly workDir?: string | undefined
  /**
   * Environment variables to add to those that processes always receive.
   * Names consist of letters (A-Z, a-z), digits and `_`, and do not begin with a digit.
   *
   * @default {}
   */
  readonly env?: Readonly<Record<string, string>> | undefined
  /**
   * Whether processes inherit the full environment of this process, including every key and password in it. With `false`, they
   * receive only what a program needs to run (PATH, HOME, LANG, ...) and `env`.
   *
   * @default false
   */
  readonly inheritEnv?: boolean | undefined
  /**
   * Python for Python blocks: the path of an interpreter or a virtual environment.
   *
   * @default the active virtual environment (`VIRTUAL_ENV`), then `python3`, then `python`
   */
  readonly python?: string | undefined
  /**
   * Isolation level. `none` runs ordinary processes as this user. In `bubblewrap`, processes see a read-only system without home
   * directories, only the parts of `/etc` that programs need, and their own `/tmp` and process table. They can write only to
   * `workDir` and have no network access. Bubblewrap requires Linux and the `bwrap` program; if it does not work, startup
   * fails.
   *
   * @default 'none'
   */
  readonly isolation?: 'none' | 'bubblewrap' | undefined
  /**
   * Hosts that processes can reach: all (`'open'`) or, in bubblewrap, none (`'none'`) or an allowlist of hosts over HTTP and HTTPS,
   * `{ allowedHosts: ['api.example.com'] }`, which requires Python. Without isolation, connections cannot be blocked.
   *
   * @default 'none' with `bubblewrap`, else 'open'
   */
  readonly network?: NetworkOption | undefined
  /**
   * Absolute paths of files and directories outside the system that processes in bubblewrap can also read, such as `/opt/data` or
   * `/etc/maven`. Symbolic links are resolved at each start. The root directory, `/proc`, `/sys`, `/dev`, `/run`, paths in the
   * working directory, sockets, and system passwords and keys are refused. Processes can connect to sockets inside a listed
   * directory. Make sure that no sandboxed process can rename anything above a listed path. Requires `isolation: 'bubblewrap'`.
   *
   * @default []
   */
  readonly readable?: readonly string[] | undefined
  /**
   * Memory limit in bytes for each spawned process in bubblewrap, including everything it starts and its files in `/tmp` and
   * `HOME`. No swap is added. Processes spawned at the same time each get the full limit. `false` for no limit. If a limit that
   * you set cannot be enforced, startup fails; for a default limit, a notice reports it. Requires `isolation: 'bubblewrap'`.
   *
   * @default 2_147_483_648 with `bubblewrap`, if the machine can enforce it
   */
  readonly memoryBytes?: number | false | undefined
  /**
   * Maximum number of processes and threads for each spawned process in bubblewrap, including everything it starts and up to five
   * helper processes. Otherwise works like `memoryBytes`.
   *
   * @default 256 with `bubblewrap`, if the machine can enforce it
   */
  readonly pids?: number | false | undefined
  /**
   * Number of CPUs that each spawned process in bubblewrap can use, including everything it starts. Fractions are allowed, in
   * hundredths. A process that exceeds the limit is paused until its next turn, for at most 100 ms. `false` for no limit. If the
   * limit cannot be enforced, startup fails. Requires `isolation: 'bubblewrap'`.
   *
   * @default false
   */
  readonly cpus?: number | false | undefined
  /**
   * Grace period between SIGTERM and SIGKILL when a process is stopped, in milliseconds.
   *
   * @default 1_000
   */
  readonly killGraceMs?: number | undefined
  /**
   * Whether an isolated sandbox and any other sandbox can use the directory, or one above or below it, at the same time. An
   * isolated program could leave a module or a link there that a non-isolated program would run or follow, and could change the
   * programs and files of another sandbox. With `false`, the second start fails with `WORK_DIR_SHARED`, unless the first one allows
   * sharing. Sandboxes that share a directory must trust each other's programs.
   *
   * @default false
   */
  readonly allowSharedWorkDir?: boolean | undefined
}

const noLimit = 'cannot be limited without isolation: choose isolation "bubblewrap"'

/** The fields of {@link LocalSandboxOptions}, except the directory. */
export const localSandboxShape = {
  env: environmentSchema.default({}),
  inheritEnv: z.boolean().default(false),
  python: z.string().min(1).optional(),
  isolation: z.enum(['none', 'bubblewrap']).default('none'),
  network: networkOptionSchema.optional(),
  readable: z
    .array(
      z.string().superRefine((path, { addIssue }) => {
        const problem = problemOfReadable(path)
        if (problem !== undefined) addIssue({ code: 'custom', message: problem })
      }),
    )
    .max(100)
    .default([]),
  memoryBytes: z.union([z.int().min(6 * 1024 * 1024), z.literal(false)]).optional(),
  pids: z.union([z.int().min(16), z.literal(false)]).optional(),
  cpus: z.union([z.number().min(0.01), z.literal(false)]).optional(),
  killGraceMs: z.int().min(0).max(60_000).default(1_000),
} as const

type Isolated = Pick<z.output<z.ZodObject<typeof localSandboxShape>>, 'isolation'> &
  Partial<z.output<z.ZodObject<typeof localSandboxShape>>>

/** Adds a check to a schema with {@link localSandboxShape}: options that depend on isolation require it. */
export function requireIsolation<Schema extends z.ZodType<Isolated>>(schema: Schema): Schema {
  return schema
    .refine(({ isolation, network = 'open' }) => isolation !== 'none' || network === 'open', {
      path: ['network'],
      error: 'must be "open" without isolation: choose isolation "bubblewrap"',
    })
    .refine(({ isolation, readable = [] }) => isolation !== 'none' || readable.length === 0, {
      path: ['readable'],
      error: 'has no effect without isolation: choose isolation "bubblewrap"',
    })
    .superRefine(({ isolation, memoryBytes, pids, cpus }, { addIssue }) => {
      if (isolation !== 'none') return
      for (const [name, limit] of Object.entries({ memoryBytes, pids, cpus }))
        if (typeof limit === 'number') addIssue({ code: 'custom', path: [name], message: noLimit })
    })
}

export const localSandboxOptionsSchema = requireIsolation(
  z.strictObject({
    workDir: z.string().min(1).optional(),
    ...localSandboxShape,
    allowSharedWorkDir: z.boolean().default(false),
  }),
)

/** Parsed options, with defaults filled in. */
export type LocalSandboxSettings = z.output<typeof localSandboxOptionsSchema>
