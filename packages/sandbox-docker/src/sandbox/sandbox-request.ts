import { randomBytes } from 'node:crypto'
import type { LifeLimits } from '@fenced/sandbox/driver'
import { nonInteractiveEnvironment } from '@fenced/shared'
import {
  type Confinement,
  confinedRequest,
  endsAtLimits,
  endsWithHost,
  keeperBeside,
} from '../container/confined-request.ts'
import type { ContainerRequest, DeviceRequest, HostConfig } from '../container/container-request.ts'
import { initCommandLabel, type Labels, labelNames } from '../container/labels.ts'
import type { ProvidedImage } from '../image/image-options.ts'
import { type ContainerSettings, engineNetworkOf, isPath } from './container-options.ts'
import type { ContainerPlan, WorkDirectoryMode } from './container-plan.ts'
import { withRawOptions } from './raw-create-options.ts'
import { workingDirectoryInside } from './sandbox-options.ts'

/** A home that can be written to, whichever user runs there and whether or not the image knows them. */
export const home = '/home/user'

/** The user of the helper of a network list: a number that neither a distribution nor a keeper has. */
export const helperUser = '64997:64997'

/** What an engine sets where an image sets none (runc and Docker have the same). */
const usualPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** What a container is made of, beside the options. */
interface ContainerParts {
  readonly settings: ContainerSettings
  readonly life: LifeLimits
  readonly outlivesProcess: boolean
  readonly user: string
  readonly image: ProvidedImage
  /** Whether the home and /tmp have what the image has there. */
  readonly isPrepared: boolean
  readonly platform: string | undefined
  readonly name: string
  readonly labels: Labels
  /** The working directory: a directory of the engine's machine, or a volume of the container's own. */
  readonly workDirectory: { readonly bind: string } | 'volume'
}

/** The request that makes a sandbox's container (Docker Engine API, "Create a container"). */
export function sandboxRequest(
  { settings, image, preparedFrom, user, workDirectory, detached }: ContainerPlan,
  mode: WorkDirectoryMode,
): ContainerRequest {
  const { createOptions: raw, containerName, platform, bindDir, initCommand } = settings
  return withRawOptions(
    requestFrom({
      settings,
      life: detached === undefined ? settings : expiring(settings, detached),
      outlivesProcess: outlivesProcess({ settings, detached }),
      image,
      user,
      isPrepared: preparedFrom !== undefined,
      platform,
      labels: {
        ...(preparedFrom === undefined ? {} : { [labelNames.preparedFrom]: preparedFrom }),
        // It is no part of the request, and a container that is used again does not run it.
        ...(initCommand === undefined ? {} : initCommandLabel(initCommand)),
      },
      name: containerName ?? `fenced-${randomBytes(6).toString('hex')}`,
      workDirectory: mode === 'copy' ? 'volume' : { bind: bindDir ?? workDirectory.hostPath },
    }),
    raw,
  )
}

/** Whether a container is left running when this process ends. */
export function outlivesProcess({
  settings,
  detached,
}: Pick<ContainerPlan, 'settings' | 'detached'>): boolean {
  return !settings.stopContainer || detached !== undefined
}

/**
 * The request that makes the container in which a preparation is done. Its root can be written to and its home is no mount, because
 * an image is made of it. Labels and limits that it shares with other containers of the options are not in the image.
 */
export function preparationRequest({ settings, image, user }: ContainerPlan, name: string): ContainerRequest {
  const { createOptions, platform } = settings
  const request = {
    name,
    ...(platform === undefined ? {} : { platform }),
    Image: image.id,
    ...endsWithHost(settings),
    User: mainUser({ settings, user }),
    HostConfig: { ...reach(settings), Mounts: volumesOf(settings) },
  }
  const confined = confinedRequest(request, { ...confinement(settings), readOnlyRoot: false })
  return withRawOptions(confined, { HostConfig: createOptions.HostConfig })
}

/** The user of the first process. An engine gives an exec no more capabilities than that process has. */
function mainUser({ settings, user }: Pick<ContainerParts, 'settings' | 'user'>): string {
  return settings.addCapabilities.length === 0 ? keeperBeside(user) : user
}

function expiring(
  { maxLifetimeMs }: LifeLimits,
  { expiresInMs }: NonNullable<ContainerPlan['detached']>,
): LifeLimits {
  return { maxLifetimeMs, idleTimeoutMs: expiresInMs, endsAlthoughBusy: true }
}

/** Without the raw options. */
function requestFrom(parts: ContainerParts): ContainerRequest {
  const { settings, image, user, platform, name } = parts
  const request = {
    name,
    ...(platform === undefined ? {} : { platform }),
    Image: image.id,
    ...(parts.outlivesProcess ? endsAtLimits(parts.life) : endsWithHost(parts.life)),
    User: mainUser({ settings, user }),
    WorkingDir: workingDirectoryInside,
    Env: Object.entries(programEnvironment(parts)).map(([variable, value]) => `${variable}=${value}`),
    Labels: parts.labels,
    HostConfig: { ...files(parts), ...reach(settings) },
  }
  return confinedRequest(request, confinement(settings))
}

/** What every process of a container has. */
export function programEnvironment({
  settings,
  image,
}: Pick<ContainerParts, 'settings' | 'image'>): Record<string, string> {
  return {
    ...nonInteractiveEnvironment,
    // What `pip install --user` brings is found, as the last of all.
    PATH: `${image.config.env.PATH ?? usualPath}:${home}/.local/bin`,
    HOME: home,
    // Libraries ask for a name, and a user id alone has none.
    USER: 'user',
    LOGNAME: 'user',
    ...settings.env,
  }
}

function confinement(settings: ContainerSettings): Confinement {
  const { init, readOnlyRoot, addCapabilities: capabilities, noNewPrivileges } = settings
  return { limits: settings, init, readOnlyRoot, capabilities, noNewPrivileges }
}

/** Not prepared, they are in memory. A new volume has what the image has there. */
function files({ settings, workDirectory, isPrepared }: ContainerParts): HostConfig {
  const writable = ['/tmp', home]
  const { diskBytes } = settings
  const directory =
    workDirectory === 'volume'
      ? ({ Type: 'volume', Source: '', Target: workingDirectoryInside, ...limitedVolume(diskBytes) } as const)
      : ({ Type: 'bind', Source: workDirectory.bind, Target: workingDirectoryInside } as const)
  const volumes = volumesOf(settings)
  if (isPrepared) {
    const copied = writable.map((Target) => ({ Type: 'volume', Source: '', Target }) as const)
    return { Mounts: [directory, ...copied, ...volumes] }
  }
  const inMemory = 'rw,exec,nosuid,nodev,mode=1777'
  return {
    Mounts: [directory, ...volumes],
    Tmpfs: Object.fromEntries(
      writable.map((path) => [path, diskBytes === undefined ? inMemory : `${inMemory},size=${diskBytes}`]),
    ),
    ...limitedPlaces(settings),
  }
}

/** Places in which programs can write beside the working directory, the home and /tmp. */
function limitedPlaces({ diskBytes, readOnlyRoot }: ContainerSettings): HostConfig {
  if (diskBytes === undefined) return {}
  const ShmSize = Math.min(diskBytes, usualShmSize)
  return { ShmSize, ...(readOnlyRoot ? {} : { StorageOpt: { size: `${diskBytes}` } }) }
}

/** The size that an engine gives to /dev/shm. */
const usualShmSize = 64 * 2 ** 20

/** Unlike a tmpfs of the container, a volume can be reached by the engine's copies. */
function limitedVolume(diskBytes: number | undefined) {
  if (diskBytes === undefined) return {}
  const Options = { type: 'tmpfs', device: 'tmpfs', o: `size=${diskBytes},mode=1777,nosuid,nodev` }
  return { VolumeOptions: { DriverConfig: { Name: 'local', Options } } }
}

function volumesOf({ volumes }: ContainerSettings) {
  return volumes.map(({ source, target, readOnly }) => ({
    Type: isPath(source) ? ('bind' as const) : ('volume' as const),
    Source: source,
    Target: target,
    ReadOnly: readOnly,
  }))
}

function reach({ network, extraHosts, gpus }: ContainerSettings): HostConfig {
  return {
    NetworkMode: engineNetworkOf({ network }),
    ExtraHosts: Object.entries(extraHosts).map(([name, address]) => `${name}:${address}`),
    ...(gpus === undefined ? {} : { DeviceRequests: [{ Capabilities: [['gpu']], ...gpuRequest(gpus) }] }),
  }
}

function gpuRequest(gpus: NonNullable<ContainerSettings['gpus']>): DeviceRequest {
  if (gpus === 'all') return { Count: -1 }
  return typeof gpus === 'number' ? { Count: gpus } : { DeviceIDs: [...gpus] }
}
