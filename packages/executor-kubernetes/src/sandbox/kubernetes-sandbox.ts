import { HostWorkDirectory } from '@fenced/core/sandbox'
import { type Lookup, SupervisedSandbox, type SuperviseOptions } from '@fenced/sandbox'
import { networkOf } from '@fenced/sandbox/internal'
import { workingDirectoryInside } from '../pod/pod-request.ts'
import { PodLauncher } from './pod-launcher.ts'
import {
  boundedBy,
  type KubernetesSandboxOptions,
  type KubernetesSandboxSettings,
  readSandboxOptions,
} from './sandbox-options.ts'

/** What a sandbox may be given beside its options, which are data. */
export interface KubernetesSandboxParts {
  /** The directory of the option, or a temporary directory. The caller opens and closes it. */
  readonly directory?: HostWorkDirectory | undefined
  /** Names of programs to look for at the start, so that later calls do not have to. */
  readonly programs?: readonly string[] | undefined
  /**
   * How names are resolved for a network by list.
   *
   * @default the resolver of this machine
   */
  readonly lookup?: Lookup | undefined
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
  constructor(options: KubernetesSandboxOptions = {}, parts: KubernetesSandboxParts = {}) {
    super(supervision(readSandboxOptions(options), parts))
  }
}

const promise = { 'allow-all': 'open', 'deny-all': 'none' } as const

/** How a pod is supervised, by options that were read. */
export function supervision(
  settings: KubernetesSandboxSettings,
  { directory, programs = [], lookup }: KubernetesSandboxParts,
): SuperviseOptions {
  const launcher = new PodLauncher(settings)
  const network = networkOf(settings.network)
  return {
    name: 'kubernetes',
    capabilities: {
      isolation: 'container',
      network: typeof network === 'string' ? promise[network] : 'custom',
      limits: boundedBy(settings),
    },
    // A pod has routes, and a policy that lets nothing through them.
    network: typeof network === 'string' ? undefined : { policy: network, lookup, hasRoutes: true },
    launch: (context) => launcher.launch(context),
    resumable: true,
    workDirectory:
      directory ?? new HostWorkDirectory({ path: settings.directory, mountedAt: workingDirectoryInside }),
    ownsWorkDirectory: directory === undefined,
    programs,
    killGraceMs: settings.killGraceMs,
  }
}
