import {
  type EngineOptions,
  type ExecutorOptions,
  engineOptionsShape,
  parseOptions,
} from '@fenced/core/driver'
import { type WarmOption, type WarmOptions, warmOptionSchema } from '@fenced/python-runner'
import { z } from 'zod'

/** Options of `LocalCommandLineCodeExecutor`. */
export interface LocalExecutorOptions extends ExecutorOptions {
  /**
   * The directory in which programs run and find their files. Made when it is missing.
   *
   * @default a temporary one, for this user only, which `stop` removes
   */
  readonly workDir?: string | undefined
  /**
   * Variables in addition to the ones that programs get anyway.
   *
   * @default {}
   */
  readonly env?: Readonly<Record<string, string>> | undefined
  /**
   * Whether programs see the whole environment of this process, with every key and password in it. With `false` they
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
   * `none`: programs are ordinary processes of this user. `bubblewrap`: they see a read-only system without the home
   * directories, their own /tmp and process table, can write in the working directory only, and have no network. It
   * needs Linux and the program `bwrap`; where it does not work, the start fails.
   *
   * @default 'none'
   */
  readonly isolation?: 'none' | 'bubblewrap' | undefined
  /**
   * Whether programs may use the network. Without isolation it cannot be refused.
   *
   * @default `false` with `bubblewrap`, else `true`
   */
  readonly network?: boolean | undefined
  /**
   * How much memory a program in the sandbox may use with everything that it starts, in bytes, its files in `/tmp` and
   * `HOME` included; no swap is added. `false` for no limit. Where a limit that was asked for cannot be held, the start
   * fails; where it is the default, a notice of the start says so. Needs `isolation: 'bubblewrap'`.
   *
   * @default 2_147_483_648 with `bubblewrap`, where the machine can hold it
   */
  readonly memoryBytes?: number | false | undefined
  /**
   * How many processes and threads may exist at once in the sandbox, three of them ours. Else as `memoryBytes`.
   *
   * @default 256 with `bubblewrap`, where the machine can hold it
   */
  readonly pids?: number | false | undefined
  /**
   * Whether Python blocks run as forks of one Python that stays, which takes a few milliseconds instead of the start
   * of an interpreter. `preload` names modules that it imports once, for every block; then it begins with the
   * executor, and else with the first block. Where that cannot be done a notice says so, and blocks run without it.
   *
   * @default false
   */
  readonly warm?: boolean | WarmOptions | undefined
  /**
   * How long a program may take to end after SIGTERM before it gets SIGKILL, in milliseconds.
   *
   * @default 1_000
   */
  readonly killGraceMs?: number | undefined
}

const noLimit = 'cannot be bounded without isolation: choose isolation "bubblewrap"'

/** The options of `LocalCommandLineCodeExecutor`, as a schema: every field is optional. */
export const localExecutorOptionsSchema = z
  .strictObject({
    ...engineOptionsShape,
    workDir: z.string().min(1).optional(),
    env: z.record(z.string(), z.string()).default({}),
    inheritEnv: z.boolean().default(false),
    python: z.string().min(1).optional(),
    isolation: z.enum(['none', 'bubblewrap']).default('none'),
    network: z.boolean().optional(),
    memoryBytes: z.union([z.int().min(6 * 1024 * 1024), z.literal(false)]).optional(),
    pids: z.union([z.int().min(16), z.literal(false)]).optional(),
    warm: warmOptionSchema,
    killGraceMs: z.int().min(0).max(60_000).default(1_000),
  })
  .refine(({ isolation, network }) => isolation !== 'none' || network !== false, {
    path: ['network'],
    error: 'cannot be refused without isolation: choose isolation "bubblewrap"',
  })
  .refine(({ isolation, memoryBytes }) => isolation !== 'none' || typeof memoryBytes !== 'number', {
    path: ['memoryBytes'],
    error: noLimit,
  })
  .refine(({ isolation, pids }) => isolation !== 'none' || typeof pids !== 'number', {
    path: ['pids'],
    error: noLimit,
  })

/** The options with every default filled in. */
export type LocalSettings = EngineOptions & {
  readonly workDir: string | undefined
  readonly env: Readonly<Record<string, string>>
  readonly inheritEnv: boolean
  readonly python: string | undefined
  readonly isolation: 'none' | 'bubblewrap'
  readonly network: boolean
  /** `undefined`: the default, where it can be held. */
  readonly memoryBytes: number | false | undefined
  readonly pids: number | false | undefined
  readonly warm: WarmOption
  readonly killGraceMs: number
}

export function readOptions(options: LocalExecutorOptions): LocalSettings {
  const { workDir, python, network, memoryBytes, pids, ...rest } = parseOptions(
    localExecutorOptionsSchema,
    options,
    'LocalCommandLineCodeExecutor',
  )
  return { ...rest, workDir, python, memoryBytes, pids, network: network ?? rest.isolation === 'none' }
}
