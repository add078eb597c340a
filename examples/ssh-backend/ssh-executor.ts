import { randomUUID } from 'node:crypto'
import type { StartOptions } from '@fenced/core'
import { HostWorkDirectory } from '@fenced/core/driver'
import { CommandLineCodeExecutor, type CommandLineExecutorOptions, SupervisedSandbox } from '@fenced/sandbox'
import { SshBackend } from './ssh-backend.ts'
import type { SshOptions } from './ssh-connection.ts'

/** A machine that ssh reaches as a sandbox, which isolates nothing. Its files are those of `workDir`, copied before and after a block. */
export function sshSandbox(machine: SshOptions, workDir?: string): SupervisedSandbox {
  const directory = `/tmp/fenced-${randomUUID()}`
  return new SupervisedSandbox({
    name: 'ssh',
    capabilities: { isolation: 'none', network: 'open', limits: { memory: false, processes: false } },
    workDirectory: new HostWorkDirectory({ path: workDir, mountedAt: directory }),
    async launch({ signal }) {
      // What a program prints comes while it runs.
      const env = { PYTHONUNBUFFERED: '1' }
      const backend = await SshBackend.start({ ...machine, directory, env, signal })
      // The machine has processes of others, too: what nothing in the sandbox started is not ended with a block.
      return { id: randomUUID(), backend, isExclusive: false }
    },
  })
}

/** Options of {@link SshCodeExecutor}. */
export interface SshExecutorOptions extends Omit<CommandLineExecutorOptions, 'sandbox'> {
  readonly machine: SshOptions
  /** @default a temporary one */
  readonly workDir?: string | undefined
}

/** Runs code blocks on a machine that ssh reaches. */
export class SshCodeExecutor extends CommandLineCodeExecutor {
  readonly #sandbox: SupervisedSandbox

  constructor({ machine, workDir, ...options }: SshExecutorOptions) {
    const sandbox = sshSandbox(machine, workDir)
    super({ ...options, sandbox })
    this.#sandbox = sandbox
  }

  override async start(options?: StartOptions): Promise<void> {
    try {
      await super.start(options)
    } catch (error) {
      await this.#sandbox.stop()
      throw error
    }
  }

  override async stop(): Promise<void> {
    await super.stop()
    await this.#sandbox.stop()
  }
}
