import type { Notice } from '@fenced/core'
import { HostWorkDirectory, type PackageManager, type StartContext } from '@fenced/core/driver'
import { type Lookup, SupervisedSandbox } from '@fenced/sandbox'
import { networkAccess } from '@fenced/sandbox/driver'
import { boundedBy } from '../container/container-limits.ts'
import type { ProvidedImage } from '../image/image-options.ts'
import { ContainerLauncher } from './container-launcher.ts'
import { ContainerPackages } from './container-packages.ts'
import {
  type DockerSandboxOptions,
  type DockerSandboxSettings,
  readSandboxOptions,
  workingDirectoryInside,
} from './sandbox-options.ts'

/** Parts that can be passed to the constructor in addition to the options, which are plain data. */
export interface DockerSandboxParts {
  /** The working directory to use instead of the option. The caller opens and closes it. It is mounted at `/workspace`. */
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

/** Parts of a {@link ContainerSandbox}. */
interface ContainerSandboxParts extends DockerSandboxParts {
  /** Parsed options of a {@link DockerSandbox}, with defaults filled in. */
  readonly settings: DockerSandboxSettings
}

/** A {@link DockerSandbox} whose options have already been parsed, for executors that parse them together with their own. */
export class ContainerSandbox extends SupervisedSandbox {
  /** Installs Python packages into the sandbox's image. */
  readonly packages: PackageManager
  readonly #launcher: ContainerLauncher

  constructor({ settings, programs = [], lookup, ...parts }: ContainerSandboxParts) {
    const workDirectory =
      parts.workDirectory ??
      new HostWorkDirectory({ path: settings.workDir, mountedAt: workingDirectoryInside })
    const isTemporary = settings.workDir === undefined
    const { killGraceMs } = settings
    const capabilities = {
      isolation: 'container',
      network: networkAccess(settings.network),
      limits: boundedBy(settings),
    } as const
    const network = typeof settings.network === 'object' ? { allowlist: settings.network, lookup } : undefined
    const launcher = new ContainerLauncher({
      ...{ settings, capabilities, network, workDirectory, isTemporary, programs },
    })
    super({
      name: 'docker',
      ...{ capabilities, network },
      launch: (context) => launcher.launch(context),
      resumable: true,
      preparable: true,
      pausable: true,
      ...{ workDirectory, ownsWorkDirectory: parts.workDirectory === undefined, programs, killGraceMs },
    })
    this.#launcher = launcher
    this.packages = new ContainerPackages({
      settings,
      launcher,
      restartFrom: (image, context) => this.#restartFrom(image, context),
    })
  }

  override async stop(): Promise<void> {
    await super.stop()
    await this.#launcher.close()
  }

  async #restartFrom(image: ProvidedImage, context: StartContext): Promise<void> {
    this.#launcher.use(image)
    await this.renew(replacedForPackages, context)
  }
}

/**
 * A container on Docker, Podman, or an engine on another machine, with access to its processes, files and ports that does not
 * require a network. By default, code in the container has no network access, no capabilities, limited memory, CPU time and
 * processes, and can write only to the working directory, `/tmp` and its home directory. Each of these defaults can be changed
 * with an option.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 * @example
 * ```ts
 * await using sandbox = new DockerSandbox({ image: 'node:24-slim' })
 * await sandbox.start()
 * const server = await sandbox.spawn(['node', 'server.js'])
 * const connection = await sandbox.connect(8080)
 * ```
 */
export class DockerSandbox extends ContainerSandbox {
  constructor(options: DockerSandboxOptions = {}, parts: DockerSandboxParts = {}) {
    super({ settings: readSandboxOptions(options), ...parts })
  }
}

const replacedForPackages: Notice = {
  code: 'container-replaced',
  message:
    'The container was replaced because packages were added to its image. Processes from earlier blocks, and their files outside the working directory, are lost.',
}
