import { randomBytes } from 'node:crypto'
import type { LifeLimits } from '@fenced/sandbox/internal'
import type { ContainerRequest } from '../container/container-request.ts'
import { createOptions } from './create-options.ts'
import type { WorkDirectoryMode } from './modes.ts'
import { withRawOptions } from './raw-create-options.ts'
import type { ContainerPlan } from './start-container.ts'

/** The whole request: from the options, the image and the way of the working directory. */
export function containerRequest(
  { settings, image, user, workDirectory, detached }: ContainerPlan,
  mode: WorkDirectoryMode,
): ContainerRequest {
  const { createOptions: raw, containerName, platform, bindDir } = settings
  return withRawOptions(
    createOptions({
      settings,
      life: detached === undefined ? settings : expiring(settings, detached),
      imageId: image.id,
      user,
      imagePath: image.config.env.PATH,
      platform,
      name: containerName ?? `fenced-${randomBytes(6).toString('hex')}`,
      workDirectory: mode === 'copy' ? 'volume' : { bind: bindDir ?? workDirectory.hostPath },
    }),
    raw,
  )
}

function expiring(
  { maxLifetimeMs }: LifeLimits,
  { expiresInMs }: NonNullable<ContainerPlan['detached']>,
): LifeLimits {
  return { maxLifetimeMs, idleTimeoutMs: expiresInMs, endsAlthoughBusy: true }
}
