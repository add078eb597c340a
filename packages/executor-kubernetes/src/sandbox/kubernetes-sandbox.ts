import { HostWorkDirectory } from '@fenced/core/driver'
import { type Lookup, SupervisedSandbox, type SuperviseOptions } from '@fenced/sandbox'

import { networkAccess } from '@fenced/sandbox/driver'
import { workingDirectoryInside } from '../pod/pod-request.ts'
import { PodLauncher } from './pod-launcher.ts'
import {
  boundedBy,
  type KubernetesSandboxOptions,
  type KubernetesSandboxSettings,
  readSandboxOptions,
} from './sandbox-options.ts'

/** Parts that can be passed to the constructor in addition to the options, which are plain data. */
export interface KubernetesSandboxParts {
  /** The working directory to use instead of the option. The caller opens and closes it. */
  readonly workDirectory?: HostWorkDirectory | undefined
  /** Names of programs to look up at startup, so that later calls do not have to. */
  readonly programs?: readonly string[] | undefined
  /**
   * Resolves host names when the network is an allowlist.
   *
   * @default this machine's resolver
   */
  readonly lookup?: Lookup | undefined
}

/**
 * A pod on a Kubernetes cluster, with access to its processes, files and ports that does not require a network. Code in the pod
 * has no network access, no cluster token and no capabilities. Its memory, CPU time, disk space and processes are limited, and it
 * can write only to the working directory, `/tmp` and its home directory.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 * @example
 * ```ts
 * await using sandbox = new KubernetesSandbox({ pod: { image: 'node:24-slim' } })
 * await sandbox.start()
 * const server = await sandbox.spawn(['node', 'server.js'])
 * const connection = await sandbox.connect(8080)
 * ```
 */
export class KubernetesSandbox extends SupervisedSandbox {
  constructor(options: KubernetesSandboxOptions = {}, parts: KubernetesSandboxParts = {}) {
    super(supervision(readSandboxOptions(options), parts))
  }
}

/** How a pod is supervised, by options that were read. */
export function supervision(
  settings: KubernetesSandboxSettings,
  { workDirectory, programs = [], lookup }: KubernetesSandboxParts,
): SuperviseOptions {
  const launcher = new PodLauncher(settings)
  const { network } = settings
  return {
    name: 'kubernetes',
    capabilities: {
      isolation: 'container',
      network: networkAccess(network),
      limits: boundedBy(settings),
    },
    // A pod has routes, and a policy that lets nothing through them.
    network: typeof network === 'string' ? undefined : { allowlist: network, lookup, hasRoutes: true },
    launch: (context) => launcher.launch(context),
    resumable: true,
    workDirectory:
      workDirectory ?? new HostWorkDirectory({ path: settings.workDir, mountedAt: workingDirectoryInside }),
    ownsWorkDirectory: workDirectory === undefined,
    programs,
    killGraceMs: settings.killGraceMs,
  }
}
