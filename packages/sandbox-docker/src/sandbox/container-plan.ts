import type { HostWorkDirectory } from '@fenced/core/driver'
import type { LaunchContext, SuperviseOptions } from '@fenced/sandbox'
import type { Engine } from '../engine.ts'
import type { ProvidedImage } from '../image/image-options.ts'
import type { DockerSandboxSettings } from './sandbox-options.ts'

/** By a mount that both sides see, or by copying before and after every block. */
export type WorkDirectoryMode = 'bind' | 'copy'

/** What a container is started from. */
export interface ContainerPlan {
  readonly engine: Engine
  readonly settings: DockerSandboxSettings
  readonly image: ProvidedImage
  /** Where that is one with the files of a preparation: the id of the image before it. */
  readonly preparedFrom?: string | undefined
  readonly capabilities: SuperviseOptions['capabilities']
  readonly network: SuperviseOptions['network']
  readonly user: string
  readonly workDirectory: HostWorkDirectory
  /** Whether the working directory on this machine goes with the container. */
  readonly isTemporary: boolean
  /** How the working directory may get into it; the first way that works is taken. */
  readonly modes: readonly WorkDirectoryMode[]
  /** Names of programs to look for in it. */
  readonly programs: readonly string[]
  /** Whether it outlives this process. */
  readonly detached?: LaunchContext['detached']
  /** The container to reuse. */
  readonly resume?: string | undefined
}

/** The ways in which a working directory may get into a container, best first. */
export function workDirectoryModes(
  { workDirMode, diskBytes }: Pick<DockerSandboxSettings, 'workDirMode' | 'diskBytes'>,
  { isLocal }: Pick<Engine, 'isLocal'>,
): readonly WorkDirectoryMode[] {
  if (workDirMode !== 'auto') return [workDirMode]
  return isLocal && diskBytes === undefined ? ['bind', 'copy'] : ['copy']
}
