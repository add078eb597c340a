import { createLanguageTable } from '@fenced/core'
import { DriverExecutor, givenOptions, HostWorkDirectory } from '@fenced/core/driver'
import { networkOf, networkParticulars } from '@fenced/core/internal'
import { CommandLineDriver } from '@fenced/sandbox'
import { LocalSandbox } from '@fenced/sandbox-local'
import { type InstallPackages, LocalPackages } from './local-packages.ts'
import { type LocalExecutorOptions, type LocalSettings, readOptions } from './options.ts'

/** What an executor may be given beside its options, which are data. */
export interface LocalExecutorParts {
  /** Installs packages for its Python. Needed for `missingPackages: 'install'`. */
  readonly installPackages?: InstallPackages | undefined
  /** Source of its packages, such as the address of an index, for questions. */
  readonly packageIndex?: string | undefined
}

/** Why no Python can stay and be forked. */
const warmProblem = process.platform === 'win32' ? 'Windows cannot fork a process.' : undefined

/**
 * Runs code blocks as processes on this machine: every block is a file in `workDir` and a process of its own.
 *
 * Without `isolation` the code can do what you can do. It is stopped in time, with every process it started,
 * but nothing keeps it from reading your files or using your network.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class LocalCommandLineCodeExecutor extends DriverExecutor {
  constructor(options: LocalExecutorOptions = {}, parts: LocalExecutorParts = {}) {
    const settings = readOptions(options)
    const { memoryBytes, pids, cpus, readable } = settings
    const network = networkOf(settings.network ?? settings.isolation === 'none')
    super({
      name: 'local',
      driver: driverOf(settings, parts),
      options: settings,
      capabilities: {
        languages: createLanguageTable(settings)
          .rows.filter(({ kind }) => kind === 'run')
          .map(({ id }) => id),
        ...(warmProblem === undefined ? { toolLanguages: ['python', 'javascript', 'typescript'] } : {}),
        isolation: settings.isolation === 'none' ? 'none' : 'sandbox',
        isolationParticulars: {
          ...(memoryBytes === undefined ? {} : { memoryBytes }),
          ...(pids === undefined ? {} : { pids }),
          ...(cpus === undefined ? {} : { cpus }),
          ...networkParticulars(network),
          ...(readable.length === 0 ? {} : { readable: readable.join(', ') }),
        },
        stateful: false,
        richOutput: false,
        network: network !== 'deny-all',
        // What nobody asked for is bounded only where the machine can.
        limits: {
          memory: typeof memoryBytes === 'number',
          processes: typeof pids === 'number',
          cpu: typeof cpus === 'number',
        },
      },
      stopGraceMs: settings.killGraceMs + 10_000,
      configuration: {
        provider: 'commandline-local',
        // Where nothing is installed nothing is needed to install it.
        options: {
          ...givenOptions(options, settings),
          ...(settings.missingPackages === 'install' ? { installPackages: parts.installPackages } : {}),
        },
        secrets: ['env', 'network.secrets'],
      },
    })
  }

  /** Absolute path of the working directory, known before the start. */
  override get workDir(): string {
    return super.workDir ?? ''
  }
}

function driverOf(settings: LocalSettings, parts: LocalExecutorParts): CommandLineDriver {
  const { workDir, env, inheritEnv, python, isolation, network, killGraceMs, warm } = settings
  const { readable, memoryBytes, pids, cpus } = settings
  const workDirectory = new HostWorkDirectory({ path: workDir })
  const sandbox = new LocalSandbox(
    { env, inheritEnv, python, isolation, network, readable, memoryBytes, pids, cpus, killGraceMs },
    // The engine opens it and closes it: it stays at a restart.
    { directory: workDirectory },
  )
  const { interpreters } = sandbox
  return new CommandLineDriver({
    ...{ sandbox, workDirectory, interpreters, warm, killGraceMs },
    ownsSandbox: true,
    figures: settings.figures && env.MPLBACKEND === undefined,
    languages: createLanguageTable(settings).rows,
    warmProblem,
    packages: new LocalPackages(interpreters, parts),
  })
}
