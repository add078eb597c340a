import { createLanguageTable } from '@fenced/core'
import {
  DriverExecutor,
  type ExecutorOptions,
  engineOptionsShape,
  type HostWorkDirectory,
  parseOptions,
} from '@fenced/core/driver'
import type { Sandbox } from '@fenced/core/sandbox'
import { z } from '@fenced/core/zod'
import { type CommandLineBlockOptions, commandLineBlockShape, statefulCapabilities } from './block-options.ts'
import { CommandLineDriver } from './command-line-driver.ts'
import { hasAroundBlocks } from './supervise/around-blocks.ts'

/** Options for `CommandLineCodeExecutor`. */
export interface CommandLineExecutorOptions extends ExecutorOptions, CommandLineBlockOptions {
  /**
   * Sandbox in which blocks run. The executor starts it but does not stop it; its creator does. Several executors
   * can share one sandbox. Its working directory must be shared with this machine or copied, as a `SupervisedSandbox` does.
   */
  readonly sandbox: Sandbox
  /**
   * Grace period between SIGTERM and SIGKILL when a program is stopped, in milliseconds.
   *
   * @default 1_000
   */
  readonly killGraceMs?: number | undefined
}

const schema = z.strictObject({
  ...engineOptionsShape,
  sandbox: z.custom<Sandbox>(
    isSandbox,
    'must be a Sandbox that shares its working directory with this machine, or a SupervisedSandbox',
  ),
  ...commandLineBlockShape,
  killGraceMs: z.int().min(0).max(60_000).default(1_000),
})

/**
 * Runs code blocks in any kind of sandbox. Each block is saved as a file in the working directory and runs in its own process.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 * @example
 * const executor = new CommandLineCodeExecutor({ sandbox: new MySandbox() })
 */
export class CommandLineCodeExecutor extends DriverExecutor {
  constructor(options: CommandLineExecutorOptions) {
    const settings = parseOptions(schema, options, 'CommandLineCodeExecutor')
    const { sandbox, warm, figures, stateful, killGraceMs } = settings
    const { isolation, network, limits } = sandbox.capabilities
    const languages = createLanguageTable({
      languages: settings.languages,
      executionPolicies: settings.executionPolicies,
    }).rows
    super({
      name: sandbox.name,
      driver: new CommandLineDriver({
        ...{ sandbox, languages, warm, figures, stateful, killGraceMs },
        checkpoints: settings,
        workDirectory: workDirectoryOf(sandbox),
        ownsSandbox: false,
      }),
      options: settings,
      capabilities: {
        languages: languages.filter(({ kind }) => kind === 'run').map(({ id }) => id),
        toolLanguages: ['python', 'javascript', 'typescript'],
        isolation,
        ...statefulCapabilities(settings),
        network,
        limits,
      },
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
