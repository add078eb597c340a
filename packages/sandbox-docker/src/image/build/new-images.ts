import type Docker from 'dockerode'

/** The ids of all images of an engine, including intermediate images of builds. */
export async function allImages(docker: Docker, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const images = await docker.listImages({ all: true, abortSignal: signal })
  return new Set(images.map(({ Id }) => Id))
}

type InspectImage = (id: string) => Promise<Docker.ImageInspectInfo>

/**
 * What a build has added, the newest last: its image, and before it the steps that the classic builder keeps as images.
 * Two builds of the same at the same time have one image, which each of them counts.
 *
 * @param built - its image.
 * @param before - what there was before the build.
 */
export async function newImages(
  { Id, Parent }: Docker.ImageInspectInfo,
  before: ReadonlySet<string>,
  look: InspectImage,
): Promise<string[]> {
  const isNew = (id: string) => !before.has(id)
  return isNew(Id) ? [...(await newSteps(Parent, isNew, look)), Id] : []
}

/** Steps have no name: what has one was pulled, also when the build did that. */
async function newSteps(
  parent: string | undefined,
  isNew: (id: string) => boolean,
  look: InspectImage,
): Promise<string[]> {
  if (!parent) return []
  // Podman names a parent without the `sha256:` of its id.
  const { Id, RepoTags, RepoDigests, Parent } = await look(parent)
  const isNamed = [...(RepoTags ?? []), ...(RepoDigests ?? [])].length > 0
  return isNamed || !isNew(Id) ? [] : [...(await newSteps(Parent, isNew, look)), Id]
}
