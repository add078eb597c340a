import type Docker from 'dockerode'

/** What the engine knows of an image; `undefined` when it does not have it. */
export async function inspectImage(
  docker: Docker,
  name: string,
): Promise<Docker.ImageInspectInfo | undefined> {
  try {
    return await docker.getImage(name).inspect()
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 404) return undefined
    throw error
  }
}
