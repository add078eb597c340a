import { createLanguageTable, type Language } from '@fenced/core'
import {
  DriverExecutor,
  type ExecutorOptions,
  engineOptionsShape,
  givenOptions,
  HostWorkDirectory,
} from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import {
  type CommandLineBlockOptions,
  CommandLineDriver,
  commandLineBlockShape,
  programsOf,
  statefulCapabilities,
} from '@fenced/sandbox'
import { networkAccess, networkParticulars } from '@fenced/sandbox/driver'
import {
  boundedBy,
  ContainerSandbox,
  type DockerSandboxOptions,
  dockerSandboxShape,
  readContainerOptions,
  requireNamesOfKept,
  workingDirectoryInside,
} from '@fenced/sandbox-docker'

/** Options for `DockerCommandLineCodeExecutor`. */
export interface DockerExecutorOptions
  extends ExecutorOptions,
    CommandLineBlockOptions,
    DockerSandboxOptions {}

/** Schema for the options of `DockerCommandLineCodeExecutor`. Every field is optional. */
export const dockerExecutorOptionsSchema = requireNamesOfKept(
  z.strictObject({
    ...engineOptionsShape,
    ...dockerSandboxShape,
    ...commandLineBlockShape,
  }),
)
  .refine(({ stopContainer, missingPackages }) => stopContainer || missingPackages === 'report', {
    path: ['missingPackages'],
    error: "must be 'report' with `stopContainer: false`, because a container is replaced to get a package",
  })
  .refine(({ stopContainer, installablePackages }) => stopContainer || installablePackages.length === 0, {
    path: ['installablePackages'],
    error: 'must be empty with `stopContainer: false`, because a container is replaced to get a package',
  })

/** Parsed options, with defaults filled in. */
type DockerSettings = ReturnType<typeof readContainerOptions<typeof dockerExecutorOptionsSchema>>

/**
 * Runs code blocks in a container on Docker, Podman, or an engine on another machine. Each executor has one container, and each
 * block runs in its own process.
 *
 * By default, the code has no network access, no capabilities, limited memory, CPU time and processes, and can write only to the
 * working directory, `/tmp` and its home directory. Each of these defaults can be changed with an option.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class DockerCommandLineCodeExecutor extends DriverExecutor {
  constructor(options: DockerExecutorOptions = {}) {
    const settings = readContainerOptions(
      dockerExecutorOptionsSchema,
      options,
      'DockerCommandLineCodeExecutor',
    )
    const { network, executionPolicies } = settings
    const table = createLanguageTable({ languages: settings.languages, executionPolicies })
    const languages = table.rows.filter(({ kind }) => kind === 'run')
    super({
      name: 'docker',
      driver: driverOf(settings, languages),
      options: settings,
      capabilities: {
        languages: languages.map(({ id }) => id),
        toolLanguages: ['python', 'javascript', 'typescript'],
        isolation: 'container',
        isolationParticulars: particulars(settings),
        ...statefulCapabilities(settings),
        network: networkAccess(network),
        limits: boundedBy(settings),
      },
      configuration: {
        provider: 'commandline-docker',
        options: givenOptions(options, settings),
        // A driver for logs is given the keys of the service that it sends them to.
        secrets: [
          'env',
          'network.secrets',
          'installEnv',
          'createOptions.Env',
          'createOptions.HostConfig.LogConfig',
        ],
      },
    })
  }

  /** Absolute path of the working directory on this machine. Known before the executor starts. */
  override get workDir(): string {
    return super.workDir ?? ''
  }
}

function driverOf(settings: DockerSettings, languages: readonly Language[]): CommandLineDriver {
  const { workDir, warm, stateful, killGraceMs } = settings
  // The engine opens it and closes it: it stays at a restart.
  const workDirectory = new HostWorkDirectory({ path: workDir, mountedAt: workingDirectoryInside })
  const sandbox = new ContainerSandbox({
    ...{ settings, workDirectory, programs: programsOf(languages) },
  })
  return new CommandLineDriver({
    ...{ sandbox, languages, warm, stateful, killGraceMs, workDirectory },
    checkpoints: settings,
    ownsSandbox: true,
    figures: settings.figures && settings.env.MPLBACKEND === undefined,
    packages: sandbox.packages,
  })
}

/** Only the configured options: the engine reports its defaults. */
function particulars(settings: DockerSettings): Record<string, string | number | boolean> {
  const { runtime, network, user, memoryBytes, cpus, pids, diskBytes, readOnlyRoot, weakening } = settings
  const isEngineNetwork = typeof network === 'string' && network !== 'none' && network !== 'open'
  return {
    ...(runtime === undefined ? {} : { runtime }),
    ...(user === undefined ? {} : { user }),
    ...(weakening.length === 0 ? {} : { weakenedBy: weakening.join(', ') }),
    ...(isEngineNetwork ? { network } : networkParticulars(network)),
    ...{ memoryBytes, cpus, pids, readOnlyRoot },
    ...(diskBytes === undefined ? {} : { diskBytes }),
  }
}
