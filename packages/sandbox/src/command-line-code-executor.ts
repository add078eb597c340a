import { createLanguageTable } from '@fenced/core'
import {
  DriverExecutor,
  type ExecutorOptions,
  engineOptionsShape,
  type HostWorkDirectory,
  parseOptions,
} from '@fenced/core/driver'
import type { Sandbox } from '@fenced/core/sandbox'
import { z } from 'zod'
import { CommandLineDriver } from './command-line-driver.ts'
import { type WarmOptions, warmOptionSchema } from './fork-server/warm-option.ts'
import { hasAroundBlocks } from './supervise/around-blocks.ts'

/** Options of `CommandLineCodeExecutor`. */
export interface CommandLineExecutorOptions extends ExecutorOptions {
  /**
   * Where blocks run. The executor starts it, and leaves it running: who made it stops it. Several executors may share one.
   * It must share its working directory with this machine, or copy it as one of `supervise` does.
   */
  readonly sandbox: Sandbox
  /**
   * Whether Python blocks run as forks of one Python that stays in the sandbox, which takes a few milliseconds instead of the start of an interpreter.
   * - `'auto'`: as soon as it is there. It starts when the executor has nothing to do, after its start or its first block, and
   *   ends when no block came for five minutes. A block that comes before has an interpreter of its own.
   * - `true`: every block waits for it. `{ preload: ['numpy'] }`: it starts with the executor, and imports modules once for all blocks.
   *   Where that cannot be done a notice says so, and blocks run without it.
   * - `false`: every block has an interpreter of its own.
   *
   * @default 'auto'
   */
  readonly warm?: 'auto' | boolean | WarmOptions | undefined
  /**
   * Whether figures of Matplotlib that a Python block shows, or leaves open at its end, become results of it, as in a notebook; those
   * that it saves itself do not. A block is looked through for the library; others run as with `false`.
   *
   * @default true
   */
  readonly figures?: boolean | undefined
  /**
   * How long a program may take to end after SIGTERM before it gets SIGKILL, in milliseconds.
   *
   * @default 1_000
   */
  readonly killGraceMs?: number | undefined
}

const schema = z.strictObject({
  ...engineOptionsShape,
  sandbox: z.custom<Sandbox>(
    isSandbox,
    'must be a Sandbox that shares its working directory with this machine, or one of supervise()',
  ),
  warm: warmOptionSchema,
  figures: z.boolean().default(true),
  killGraceMs: z.int().min(0).max(60_000).default(1_000),
})

/**
 * Runs code blocks in a sandbox of any kind: every block is a file in its working directory and a process of its own.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 * @example
 * const executor = new CommandLineCodeExecutor({ sandbox: new MySandbox() })
 */
export class CommandLineCodeExecutor extends DriverExecutor {
  constructor(options: CommandLineExecutorOptions) {
    const settings = parseOptions(schema, options, 'CommandLineCodeExecutor')
    const { sandbox, warm, figures, killGraceMs } = settings
    const { isolation, network, limits } = sandbox.capabilities
    const languages = createLanguageTable(settings).rows
    super({
      name: sandbox.name,
      driver: new CommandLineDriver({
        ...{ sandbox, languages, warm, figures, killGraceMs },
        workDirectory: workDirectoryOf(sandbox),
        ownsSandbox: false,
      }),
      options: settings,
      capabilities: {
        languages: languages.filter(({ kind }) => kind === 'run').map(({ id }) => id),
        toolLanguages: ['python', 'javascript', 'typescript'],
        isolation,
        stateful: false,
        richOutput: false,
        network: network !== 'none',
        limits,
      },
      // Where files are copied, a block that was stopped still brings its own.
      stopGraceMs: killGraceMs + (hasAroundBlocks(sandbox) ? 70_000 : 10_000),
    })
  }
}

function isSandbox(value: unknown): boolean {
  const sandbox = Object(value) as Sandbox
  return typeof sandbox.spawn === 'function' && (hasAroundBlocks(sandbox) || sandbox.shared !== undefined)
}

function workDirectoryOf(sandbox: Sandbox): HostWorkDirectory {
  return hasAroundBlocks(sandbox) ? sandbox.workDirectory : (sandbox.shared as HostWorkDirectory)
}
