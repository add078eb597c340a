import { type EngineOptions, engineOptionsShape, parseOptions } from '@fenced/core'
import { type WarmOption, warmOptionSchema } from '@fenced/python-runner'
import { z } from 'zod'

/** The options of `LocalCommandLineCodeExecutor`, as a schema: every field is optional. */
export const localExecutorOptionsSchema = z
  .strictObject({
    ...engineOptionsShape,
    /**
     * The directory in which programs run and find their files. Made when it is missing. Default: a temporary one,
     * for this user only, which `stop` removes.
     */
    workDir: z.string().min(1).optional(),
    /** Variables in addition to the ones that programs get anyway. Default none. */
    env: z.record(z.string(), z.string()).default({}),
    /**
     * Whether programs see the whole environment of this process, with every key and password in it. Default
     * `false`: they see what a program needs to run (PATH, HOME, LANG, ...) and `env`.
     */
    inheritEnv: z.boolean().default(false),
    /**
     * The Python for Python blocks: the path of an interpreter or of a virtual environment. Default: the active
     * virtual environment (`VIRTUAL_ENV`), then `python3`, then `python`.
     */
    python: z.string().min(1).optional(),
    /**
     * `bubblewrap`: programs see a read-only system without the home directories, their own /tmp and process
     * table, can write in the working directory only, and have no network. Linux; needs the program `bwrap`.
     * It is an error when it cannot be had. Default `none`: ordinary processes of this user.
     */
    isolation: z.enum(['none', 'bubblewrap']).default('none'),
    /** Whether programs may use the network. Default: not with `bubblewrap`. Without isolation it cannot be refused. */
    network: z.boolean().optional(),
    /**
     * Whether Python blocks run as forks of one Python that stays, which takes a few milliseconds instead of the start of
     * an interpreter. `preload` names modules that it imports once, for every block; then it begins with the executor, and
     * else with the first block. Where that cannot be done a notice says so, and blocks run without it. Default `false`.
     */
    warm: warmOptionSchema,
    /** How long a program may take to end after SIGTERM before it gets SIGKILL, in milliseconds. Default 1 000. */
    killGraceMs: z.int().min(0).max(60_000).default(1_000),
  })
  .refine(({ isolation, network }) => isolation !== 'none' || network !== false, {
    path: ['network'],
    error: 'cannot be refused without isolation: choose isolation "bubblewrap"',
  })

/** Options of `LocalCommandLineCodeExecutor`. */
export type LocalExecutorOptions = z.input<typeof localExecutorOptionsSchema>

/** The options with every default filled in. */
export type LocalSettings = EngineOptions & {
  readonly workDir: string | undefined
  readonly env: Readonly<Record<string, string>>
  readonly inheritEnv: boolean
  readonly python: string | undefined
  readonly isolation: 'none' | 'bubblewrap'
  readonly network: boolean
  readonly warm: WarmOption
  readonly killGraceMs: number
}

export function readOptions(options: LocalExecutorOptions): LocalSettings {
  const { workDir, python, network, ...rest } = parseOptions(
    localExecutorOptionsSchema,
    options,
    'LocalCommandLineCodeExecutor',
  )
  return { ...rest, workDir, python, network: network ?? rest.isolation === 'none' }
}
