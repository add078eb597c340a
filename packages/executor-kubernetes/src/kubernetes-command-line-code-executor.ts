import { createLanguageTable, type Language } from '@fenced/core'
import {
  DriverExecutor,
  type ExecutorOptions,
  engineOptionsShape,
  givenOptions,
  HostWorkDirectory,
  parseOptions,
} from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import {
  type CommandLineBlockOptions,
  CommandLineDriver,
  commandLineBlockShape,
  programsOf,
  SupervisedSandbox,
  statefulCapabilities,
} from '@fenced/sandbox'
import { networkAccess, networkParticulars } from '@fenced/sandbox/driver'
import { workingDirectoryInside } from './pod/pod-request.ts'
import { supervision } from './sandbox/kubernetes-sandbox.ts'
import {
  boundedBy,
  isPodOrClaim,
  type KubernetesSandboxOptions,
  kubernetesSandboxShape,
  podOf,
  podOrClaim,
} from './sandbox/sandbox-options.ts'

/** Options for `KubernetesCommandLineCodeExecutor`. */
export interface KubernetesExecutorOptions
  extends ExecutorOptions,
    CommandLineBlockOptions,
    KubernetesSandboxOptions {}

/** Schema for the options of `KubernetesCommandLineCodeExecutor`. Every field is optional. */
export const kubernetesExecutorOptionsSchema = z
  .strictObject({
    ...engineOptionsShape,
    ...kubernetesSandboxShape,
    ...commandLineBlockShape,
  })
  .refine(isPodOrClaim, podOrClaim)

/** Parsed options, with defaults filled in. */
type KubernetesSettings = z.output<typeof kubernetesExecutorOptionsSchema>

/**
 * Runs code blocks in a pod on a Kubernetes cluster. Each executor has one pod, and each block runs in its own process.
 *
 * The code has no network access, no cluster token and no capabilities. Its memory, CPU time, disk space and processes are
 * limited, and it can write only to the working directory, `/tmp` and its home directory.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class KubernetesCommandLineCodeExecutor extends DriverExecutor {
  constructor(options: KubernetesExecutorOptions = {}) {
    const settings = parseOptions(
      kubernetesExecutorOptionsSchema,
      options,
      'KubernetesCommandLineCodeExecutor',
    )
    const { network, executionPolicies } = settings
    const table = createLanguageTable({ languages: settings.languages, executionPolicies })
    const languages = table.rows.filter(({ kind }) => kind === 'run')
    const { image, runtimeClassName } = podOf(settings)
    super({
      name: 'kubernetes',
      driver: driverOf(settings, languages),
      options: settings,
      capabilities: {
        languages: languages.map(({ id }) => id),
        toolLanguages: ['python', 'javascript', 'typescript'],
        isolation: 'container',
        isolationParticulars: {
          ...networkParticulars(network),
          ...(settings.claim === undefined ? { image } : settings.claim),
          ...(runtimeClassName && { runtimeClassName }),
        },
        ...statefulCapabilities(settings),
        network: networkAccess(network),
        limits: boundedBy(settings),
      },
      configuration: {
        provider: 'commandline-kubernetes',
        options: givenOptions(options, settings),
        secrets: ['env', 'network.secrets'],
      },
    })
  }

  /** Absolute path of the working directory on this machine. Known before the executor starts. */
  override get workDir(): string {
    return super.workDir ?? ''
  }
}

function driverOf(settings: KubernetesSettings, languages: readonly Language[]): CommandLineDriver {
  const { workDir, warm, stateful, killGraceMs } = settings
  // The engine opens it and closes it: it stays at a restart.
  const workDirectory = new HostWorkDirectory({ path: workDir, mountedAt: workingDirectoryInside })
  const sandbox = new SupervisedSandbox(
    supervision(settings, { workDirectory, programs: programsOf(languages) }),
  )
  return new CommandLineDriver({
    ...{ sandbox, languages, warm, stateful, killGraceMs, workDirectory },
    checkpoints: settings,
    ownsSandbox: true,
    figures: settings.figures && settings.env.MPLBACKEND === undefined,
  })
}
