import { HostWorkDirectory } from '@fenced/core/sandbox'
import { SupervisedSandbox } from '@fenced/sandbox'
import { workingDirectoryInside } from '../pod/pod-request.ts'
import { PodLauncher } from './pod-launcher.ts'
import { boundedBy, type KubernetesSandboxOptions, readSandboxOptions } from './sandbox-options.ts'

/** What a sandbox may be given beside its options, which are data. */
export interface KubernetesSandboxParts {
  /** The directory of the option, or a temporary one without it, which somebody else opens and closes. */
  readonly directory?: HostWorkDirectory | undefined
  /** Names of programs that are looked for at the start, so that nobody has to ask for them later. */
  readonly programs?: readonly string[] | undefined
}

/**
 * A pod of a Kubernetes cluster, with processes, files and ports, which need no network. What runs in it has no network, no
 * token of the cluster, no capabilities, bounded memory, processor time, disk and processes, and writes only into the working
 * directory, `/tmp` and its home.
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
  constructor(
    options: KubernetesSandboxOptions = {},
    { directory, programs = [] }: KubernetesSandboxParts = {},
  ) {
    const settings = readSandboxOptions(options)
    const workDirectory =
      directory ?? new HostWorkDirectory({ path: settings.directory, mountedAt: workingDirectoryInside })
    const launcher = new PodLauncher(settings)
    super({
      name: 'kubernetes',
      capabilities: {
        isolation: 'container',
        network: settings.network ? 'open' : 'none',
        limits: boundedBy(settings),
      },
      launch: (context) => launcher.launch(context),
      resumable: true,
      ...{ workDirectory, ownsWorkDirectory: directory === undefined, programs },
      killGraceMs: settings.killGraceMs,
    })
  }
}
