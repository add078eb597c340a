import { createHash } from 'node:crypto'
import type { Labels } from './labels.ts'

/**
 * A request to create a container, including the container's name. The fields come from the Docker Engine API ("Create a
 * container"). Fields that are not listed here are passed on unchanged.
 */
export interface ContainerRequest {
  readonly name: string
  readonly platform?: string | undefined
  readonly Image: string
  readonly Entrypoint?: readonly string[]
  readonly Cmd?: readonly string[]
  readonly User?: string
  readonly WorkingDir?: string
  readonly Env?: readonly string[]
  readonly Labels?: Labels
  readonly OpenStdin?: boolean
  readonly StdinOnce?: boolean
  readonly AttachStdin?: boolean
  readonly AttachStderr?: boolean
  readonly Healthcheck?: { readonly Test: readonly string[] } | undefined
  readonly HostConfig?: HostConfig
}

/** The part of a {@link ContainerRequest} that concerns the engine's machine. */
export interface HostConfig {
  readonly AutoRemove?: boolean
  readonly Init?: boolean
  readonly ReadonlyRootfs?: boolean
  readonly CapAdd?: readonly string[]
  readonly CapDrop?: readonly string[]
  readonly SecurityOpt?: readonly string[]
  readonly Memory?: number
  readonly MemorySwap?: number
  readonly NanoCpus?: number
  readonly PidsLimit?: number
  readonly Runtime?: string
  readonly NetworkMode?: string
  readonly ExtraHosts?: readonly string[]
  readonly DeviceRequests?: readonly DeviceRequest[]
  readonly Mounts?: readonly Mount[]
  readonly Tmpfs?: Readonly<Record<string, string>>
  readonly Ulimits?: readonly object[]
  readonly ShmSize?: number
  readonly StorageOpt?: Readonly<Record<string, string>>
  readonly LogConfig?: { readonly Type: string; readonly Config: Readonly<Record<string, string>> }
}

export interface DeviceRequest {
  readonly Capabilities?: readonly (readonly string[])[]
  readonly Count?: number
  readonly DeviceIDs?: readonly string[]
}

interface Mount {
  readonly Type: 'bind' | 'volume'
  readonly Source: string
  readonly Target: string
  readonly ReadOnly?: boolean
  readonly VolumeOptions?: { readonly DriverConfig: object }
}

/** Names a request: equal ones have the same, in this process and in every other one. */
export function hashOfRequest(request: ContainerRequest): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex')
}
