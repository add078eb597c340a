import { CommandLineCodeExecutor, type CommandLineExecutorOptions } from '@fenced/sandbox'
import { definedOptions } from '@fenced/shared'
import { LocalSandbox, type LocalSandboxOptions } from '../src/index.ts'

export type LocalExecutorOptions = LocalSandboxOptions & Omit<CommandLineExecutorOptions, 'sandbox'>

/** Runs blocks in a local sandbox, which ends with the executor. */
export class LocalExecutor extends CommandLineCodeExecutor {
  readonly #sandbox: LocalSandbox

  constructor(options: LocalExecutorOptions = {}) {
    const {
      workDir,
      env,
      inheritEnv,
      python,
      isolation,
      network,
      readable,
      memoryBytes,
      pids,
      cpus,
      ...others
    } = options
    const { killGraceMs, allowSharedWorkDir } = options
    const place = { workDir, env, inheritEnv, python, isolation, network, readable, memoryBytes, pids, cpus }
    const sandbox = new LocalSandbox(definedOptions({ ...place, killGraceMs, allowSharedWorkDir }))
    super({ ...others, sandbox })
    this.#sandbox = sandbox
  }

  override async restart(): Promise<void> {
    await this.#sandbox.stop()
    await super.restart()
  }

  override async stop(): Promise<void> {
    await super.stop()
    await this.#sandbox.stop()
  }
}
