import type Docker from 'dockerode'

/** The ids of all images of an engine, those of a build's steps included. */
export async function allImages(docker: Docker): Promise<ReadonlySet<string>> {
  return new Set((await docker.listImages({ all: true })).map(({ Id }) => Id))
}

/**
 * What a build has added, the newest last: its image, and before it the steps that the classic builder keeps as images.
 * Two builds of the same at the same time have one image, which each of them counts.
 *
 * @param built - the id of its image.
 * @param before - what there was before the build.
 */
export async function newImages(
  docker: Docker,
  built: string,
  before: ReadonlySet<string>,
): Promise<string[]> {
  const isNew = (id: string) => !before.has(id)
  const { Id, Parent } = await docker.getImage(built).inspect()
  return isNew(Id) ? [...(await newSteps(docker, Parent, isNew)), Id] : []
}

/** Steps have no name: what has one was pulled, also when the build did that. */
async function newSteps(
  docker: Docker,
  parent: string | undefined,
  isNew: (id: string) => boolean,
): Promise<string[]> {
  if (!parent) return []
  // Podman names a parent without the `sha256:` of its id.
  const { Id, RepoTags, RepoDigests, Parent } = await docker.getImage(parent).inspect()
  const isNamed = [...(RepoTags ?? []), ...(RepoDigests ?? [])].length > 0
  return isNamed || !isNew(Id) ? [] : [...(await newSteps(docker, Parent, isNew)), Id]
}
