import type Docker from 'dockerode'

/** The ids of all images of an engine, those of a build's steps included. */
export async function allImages(docker: Docker): Promise<ReadonlySet<string>> {
  return new Set((await docker.listImages({ all: true })).map(({ Id }) => Id))
}

/**
 * What a build has added, the newest last: its image, and before it the steps that the classic builder keeps as images.
 *
 * @param before - what there was before the build.
 */
export async function newImages(docker: Docker, id: string, before: ReadonlySet<string>): Promise<string[]> {
  const { Id, Parent } = await docker.getImage(id).inspect()
  return before.has(Id) ? [] : [...(await newSteps(docker, Parent, before)), Id]
}

/** Steps have no name: what has one was pulled, also when the build did that. */
async function newSteps(
  docker: Docker,
  parent: string | undefined,
  before: ReadonlySet<string>,
): Promise<string[]> {
  if (!parent) return []
  // Podman names a parent without the `sha256:` of its id.
  const { Id, RepoTags, RepoDigests, Parent } = await docker.getImage(parent).inspect()
  const isNamed = [...(RepoTags ?? []), ...(RepoDigests ?? [])].length > 0
  return isNamed || before.has(Id) ? [] : [...(await newSteps(docker, Parent, before)), Id]
}
