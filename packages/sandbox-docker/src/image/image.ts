import type Docker from 'dockerode'
import type { ProvidedImage } from './image-options.ts'

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

/** The image as the engine tells it. What an engine leaves out, or gives as `null`, is empty. */
export function providedImage(
  { Id, Config, Architecture }: Docker.ImageInspectInfo,
  name: string,
): ProvidedImage {
  const { User, Env, WorkingDir, Entrypoint, Cmd }: Partial<Docker.ImageInspectInfo['Config']> = Config ?? {}
  return {
    id: Id,
    name,
    config: {
      user: User ?? '',
      env: Object.fromEntries((Env ?? []).map(splitVariable)),
      workingDir: WorkingDir ?? '',
      entrypoint: [Entrypoint ?? []].flat(),
      command: Cmd ?? [],
    },
    architecture: Architecture,
  }
}

function splitVariable(variable: string): [string, string] {
  const [name = ''] = variable.split('=', 1)
  return [name, variable.slice(name.length + 1)]
}
