import type { NetworkPolicy } from '@fenced/core'
import { type NetworkOption, networkOf, networkOptionSchema } from '@fenced/sandbox/internal'
import { z } from 'zod'
import { problemOfReadable } from './isolation/readable-paths.ts'

/** Options of `LocalSandbox`. */
export interface LocalSandboxOptions {
  /**
   * The directory in which processes start and find their files. Made when it is missing.
   *
   * @default a temporary one, for this user only, which `stop` removes
   */
  readonly directory?: string | undefined
  /**
   * Variables in addition to the variables that processes always get.
   *
   * @default {}
   */
  readonly env?: Readonly<Record<string, string>> | undefined
  /**
   * Whether processes see the whole environment of this process, with every key and password in it. With `false` they
   * see what a program needs to run (PATH, HOME, LANG, ...) and `env`.
   *
   * @default false
   */
  readonly inheritEnv?: boolean | undefined
  /**
   * The Python for Python blocks: the path of an interpreter or of a virtual environment.
   *
   * @default the active virtual environment (`VIRTUAL_ENV`), then `python3`, then `python`
   */
  readonly python?: string | undefined
  /**
   * `none`: ordinary processes of this user. `bubblewrap`: they see a read-only system without the home directories, of
   * `/etc` only what programs need, their own /tmp and process table, can write in `directory` only, and have no network. It needs Linux and the program `bwrap`;
   * where it does not work, the start fails.
   *
   * @default 'none'
   */
  readonly isolation?: 'none' | 'bubblewrap' | undefined
  /**
   * What processes may reach: everything (`true`, `'allow-all'`), nothing (`false`, `'deny-all'`), or in bubblewrap the hosts of a list,
   * `{ mode: 'custom', allowedHosts: ['api.example.com'] }`, by HTTP and HTTPS, which needs Python. Without isolation nothing can be refused.
   *
   * @default `false` with `bubblewrap`, else `true`
   */
  readonly network?: boolean | 'allow-all' | 'deny-all' | NetworkPolicy | undefined
  /**
   * Absolute paths of files and directories that processes in bubblewrap may read beside the system, such as `/opt/data` or
   * `/etc/maven`. Symbolic links are followed at each start. The whole file system, `/proc`, `/sys`, `/dev`, `/run`, paths in the
   * working directory, sockets, and the system's passwords and keys are refused. Processes can connect to sockets that lie in a
   * directory of the list. No process of a sandbox must be able to rename what lies above a path of it. Needs
   * `isolation: 'bubblewrap'`.
   *
   * @default []
   */
  readonly readable?: readonly string[] | undefined
  /**
   * How much memory each process that is spawned in bubblewrap may use together with everything that it starts, in bytes, its files in
   * `/tmp` and `HOME` included; no swap is added. Processes that are spawned at the same time each have the whole limit. `false` for no
   * limit. If a configured limit cannot be enforced, the start fails. A notice reports default limits that cannot be enforced.
   * Needs `isolation: 'bubblewrap'`.
   *
   * @default 2_147_483_648 with `bubblewrap`, where the machine can hold it
   */
  readonly memoryBytes?: number | false | undefined
  /**
   * How many processes and threads each process that is spawned in bubblewrap may be together with everything that it starts, up to
   * five of them ours. Else as `memoryBytes`.
   *
   * @default 256 with `bubblewrap`, where the machine can hold it
   */
  readonly pids?: number | false | undefined
  /**
   * How many processors each process that is spawned in bubblewrap may use together with everything that it starts, as a number that may
   * have a fraction, in hundredths. A process that takes more waits for its next turn, at most 100 ms. `false` for no limit. Where the
   * limit cannot be enforced, the start fails. Needs `isolation: 'bubblewrap'`.
   *
   * @default false
   */
  readonly cpus?: number | false | undefined
  /**
   * How long a process may take to end after SIGTERM before it gets SIGKILL, in milliseconds.
   *
   * @default 1_000
   */
  readonly killGraceMs?: number | undefined
  /**
   * Whether isolated programs and programs without isolation may use the directory at the same time, or one below or above it. An
   * isolated program could leave a module or a link there, which a program without isolation would run or follow. With `false`
   * the second start fails (`WORK_DIR_SHARED`), unless the first one allows it.
   *
   * @default false
   */
  readonly allowSharedWorkDir?: boolean | undefined
}

const noLimit = 'cannot be limited without isolation: choose isolation "bubblewrap"'

/** The fields of {@link LocalSandboxOptions} but for the directory. */
export const localSandboxShape = {
  env: z.record(z.string(), z.string()).default({}),
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

type Isolated = {
  readonly isolation: 'none' | 'bubblewrap'
  readonly network?: NetworkOption | undefined
  readonly readable?: readonly string[] | undefined
  readonly memoryBytes?: number | false | undefined
  readonly pids?: number | false | undefined
  readonly cpus?: number | false | undefined
}

/** What needs isolation, of a schema with {@link localSandboxShape}. */
export function requireIsolation<Schema extends z.ZodType<Isolated>>(schema: Schema): Schema {
  return schema
    .refine(({ isolation, network }) => isolation !== 'none' || networkOf(network ?? true) === 'allow-all', {
      path: ['network'],
      error: 'cannot be refused, nor be a list, without isolation: choose isolation "bubblewrap"',
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
    directory: z.string().min(1).optional(),
    ...localSandboxShape,
    allowSharedWorkDir: z.boolean().default(false),
  }),
)

/** The options with every default filled in. */
export type LocalSandboxSettings = z.output<typeof localSandboxOptionsSchema>
