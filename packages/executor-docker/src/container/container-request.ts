import { createHash, randomBytes } from 'node:crypto'
import {
  configurationLabel,
  type Labels,
  ownerLabels,
  requestLabel,
  temporaryDirectoryLabel,
} from '@fenced/docker-engine'
import type Docker from 'dockerode'
import type { WorkDirectoryMode } from '../work-directory/modes.ts'
import { createOptions } from './create-options.ts'
import { withRawOptions } from './raw-create-options.ts'
import type { ContainerPlan } from './start-container.ts'

/** What is sent to an engine to make a container. */
export type ContainerRequest = Docker.ContainerCreateOptions & {
  readonly name: string
  readonly Labels: Labels
}

/** The whole request: from the options, the image and the way of the working directory. */
export function containerRequest(
  { settings, image, user, workDirectory }: ContainerPlan,
  mode: WorkDirectoryMode,
): ContainerRequest {
  const { createOptions: raw, containerName, stopContainer, platform, bindDir, workDir } = settings
  const name = containerName ?? `fenced-${randomBytes(6).toString('hex')}`
  const request = withRawOptions(
    createOptions({
      settings,
      imageId: image.id,
      user,
      imagePath: image.config.env.PATH,
      platform,
      name,
      labels: {},
      workDirectory: mode === 'copy' ? 'volume' : { bind: bindDir ?? workDirectory.hostPath },
    }),
    raw,
  )
  const labels = stopContainer
    ? { ...ownerLabels(), ...(workDir === undefined ? temporaryDirectoryLabel(workDirectory.hostPath) : {}) }
    : configurationLabel(createHash('sha256').update(JSON.stringify(request)).digest('hex'))
  return {
    ...request,
    name,
    Labels: { ...request.Labels, ...labels, ...requestLabel(randomBytes(8).toString('hex')) },
  }
}
