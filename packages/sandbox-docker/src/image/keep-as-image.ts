import type Docker from 'dockerode'
import type { Container } from '../container/container.ts'
import { type ImageKind, imageLabel, inspectImage, type OwnImageName } from './image.ts'

/** A container, and the image that is to come of it. */
export interface NewLayer {
  readonly container: Container
  readonly name: OwnImageName
  readonly kind: ImageKind
  /** The image that it was made from. */
  readonly base: Docker.ImageInspectInfo
  /** Hears its id, unless there was one already. */
  readonly onMade?: ((imageId: string) => void) | undefined
}

/**
 * Keeps what was written in a container as an image, which is the same as the container's in all else. If there is
 * one of the name by now, that one is as good.
 *
 * Not to be cancelled: of a container that goes while it is read, the engine makes an image with files missing.
 */
export async function keepAsImage(docker: Docker, layer: NewLayer): Promise<Docker.ImageInspectInfo> {
  const { container, name, kind, base, onMade } = layer
  const faster = await inspectImage(docker, name.reference)
  if (faster !== undefined) return faster
  const { Id } = await docker.getContainer(container.id).commit({
    _query: {
      container: container.id,
      comment: `Made by Fenced: ${kind}`,
      // No process runs in it, and not every engine can pause.
      pause: false,
      changes: changes(layer),
    },
    // What cannot be said as a change. Podman does not look at it, and takes the container's.
    _body: base.Config,
  })
  const image = docker.getImage(Id)
  const winner = await inspectImage(docker, name.reference)
  // Only a finished image gets the name, and an image that may be in use keeps it.
  if (winner !== undefined) {
    await image.remove()
    return winner
  }
  onMade?.(Id)
  await image.tag(name)
  return image.inspect()
}

/** Restores the settings of the image that the container changed. */
function changes({ base, container, kind }: NewLayer): string[] {
  const { Entrypoint, Cmd, User, Labels }: Partial<typeof base.Config> = base.Config
  // A label cannot be removed, and every container of the image would inherit it, so it is set to an empty value.
  const restored = Object.keys(container.labels).map((label) => [label, Labels?.[label] ?? ''] as const)
  return [
    `ENTRYPOINT ${JSON.stringify([Entrypoint ?? []].flat())}`,
    `CMD ${JSON.stringify(Cmd ?? [])}`,
    `USER ${User || '0'}`,
    ...[...restored, ...Object.entries(imageLabel(kind))].map(
      ([label, value]) => `LABEL ${JSON.stringify(label)}=${JSON.stringify(value)}`,
    ),
  ]
}
