import { FencedError } from '@fenced/core'
import type { ContainerRequest } from './container-request.ts'

/** The error for a full working directory that has a size: files of the code fill it, and not the engine's disk. */
export function diskLimitReached(error: unknown, request: ContainerRequest | undefined): unknown {
  const isLimited = request?.HostConfig?.Mounts?.some(({ VolumeOptions }) => VolumeOptions !== undefined)
  if (isLimited !== true || !FencedError.isInstance(error) || error.code !== 'DISK_FULL') return error
  return new FencedError({
    code: 'DISK_FULL',
    message:
      'The working directory in the container has reached its limit, so nothing more can be copied into it. Remove files from the working directory on this machine, or raise `diskBytes`.',
    data: { option: 'diskBytes', reason: error.data?.reason ?? error.message },
    cause: error,
  })
}
