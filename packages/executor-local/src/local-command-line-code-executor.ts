import { createLanguageTable, type Language } from '@fenced/core'
import { DriverExecutor, givenOptions, HostWorkDirectory } from '@fenced/core/driver'
import { CommandLineDriver, statefulCapabilities } from '@fenced/sandbox'
import { networkParticulars } from '@fenced/sandbox/driver'
import { LocalSandbox } from '@fenced/sandbox-local'
import { type InstallPackages, LocalPackages } from './local-packages.ts'
import { type LocalExecutorOptions, type LocalSettings, readOptions } from './options.ts'

/** Parts that can be passed to the constructor in addition to the options, which are plain data. */
export interface LocalExecutorParts {
  /** Installs packages for the executor's Python. Required for `missingPackages: 'install'`. */
  readonly installPackages?: InstallPackages | undefined
  /** Source of the packages, such as an index URL, to show in approval questions. */
  readonly packageIndex?: string | undefined
}

/** Why no Python can stay and be forked. */
const warmProblem = process.platform === 'win32' ? 'Windows cannot fork a process.' : undefined

/**
 * Runs code blocks as processes on this machine. Each block is saved as a file in `workDir` and runs in its own process.
 *
 * Without `isolation`, the code can do anything that you can do. It is stopped when its time is up, along with every process it
 * started, but nothing prevents it from reading your files or using your network.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class LocalCommandLineCodeExecutor extends DriverExecutor {
  constructor(options: LocalExecutorOptions = {}, parts: LocalExecutorParts = {}) {
    const settings = readOptions(options)
    const { memoryBytes, pids, cpus, readable, executionPolicies } = settings
    const { rows: languages } = createLanguageTable({ languages: settings.languages, executionPolicies })
    const workDirectory = new HostWorkDirectory({ path: settings.workDir })
    const sandbox = sandboxOf(settings, workDirectory)
    const { isolation, network, limits } = sandbox.capabilities
    super({
      name: 'local',
      driver: new CommandLineDriver({
        ...{ sandbox, workDirectory, languages, warmProblem },
        ownsSandbox: true,
        interpreters: sandbox.interpreters,
        warm: settings.warm,
        stateful: settings.stateful,
        checkpoints: settings,
        killGraceMs: settings.killGraceMs,
        figures: settings.figures && settings.env.MPLBACKEND === undefined,
        packages: new LocalPackages(sandbox, parts),
      }),
      options: settings,
      capabilities: {
        languages: runningLanguages(languages, settings, sandbox),
        ...(warmProblem === undefined ? { toolLanguages: ['python', 'javascript', 'typescript'] } : {}),
        isolation,
        isolationParticulars: {
          ...(memoryBytes === undefined ? {} : { memoryBytes }),
          ...(pids === undefined ? {} : { pids }),
          ...(cpus === undefined ? {} : { cpus }),
          ...networkParticulars(settings.network),
          ...(readable.length === 0 ? {} : { readable: readable.join(', ') }),
        },
        ...statefulCapabilities(settings),
        network,
        // Limits that are not options of the caller apply only where the machine supports them.
        limits,
      },
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

  /** Absolute path of the working directory. Known before the executor starts. */
  override get workDir(): string {
    return super.workDir ?? ''
  }
}

/** A built-in language without a program is not offered. A row of the caller's is: a block in it names the missing program. */
function runningLanguages(
  rows: readonly Language[],
  { languages: own }: LocalSettings,
  { interpreters }: LocalSandbox,
): string[] {
  const runs = rows.filter(({ kind }) => kind === 'run')
  return runs
    .filter((row) => own.some(({ id }) => id === row.id) || interpreters.mayRun(row))
    .map(({ id }) => id)
}

/** The engine opens and closes the directory: it stays at a restart. */
function sandboxOf(settings: LocalSettings, workDirectory: HostWorkDirectory): LocalSandbox {
  const { env, inheritEnv, python, isolation, network, killGraceMs } = settings
  const { readable, memoryBytes, pids, cpus } = settings
  return new LocalSandbox(
    { env, inheritEnv, python, isolation, network, readable, memoryBytes, pids, cpus, killGraceMs },
    { workDirectory },
  )
}
