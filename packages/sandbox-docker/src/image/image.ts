import { promisify } from 'node:util'
import type Modem from 'docker-modem'
import type Docker from 'dockerode'
import { isGone } from '../container/remove-container.ts'
import type { ProvidedImage } from './image-options.ts'

/** Why we made an image. */
export type ImageKind = 'build' | 'packages' | 'prepared'

/** The label of the images that we make, to be found by: `docker images --filter label=fenced.image`. */
export function imageLabel(kind: ImageKind): Record<string, string> {
  return { 'fenced.image': kind }
}

/** A name that an image of ours is found again by. */
export interface OwnImageName {
  readonly repo: string
  readonly tag: string
  /** Both, as an image's name. */
  readonly reference: string
}

/** What the engine knows of an image; `undefined` when it does not have it. Dockerode's own call takes no signal. */
export async function inspectImage(
  docker: Docker,
  name: string,
  signal?: AbortSignal,
): Promise<Docker.ImageInspectInfo | undefined> {
  const modem: Modem = docker.modem
  const question = {
    path: `/images/${name}/json`,
    method: 'GET',
    ...(signal === undefined ? {} : { abortSignal: signal }),
    statusCodes: { 200: true, 404: 'no such image', 500: 'server error' },
  }
  try {
    return (await promisify(modem.dial).call(modem, question)) as Docker.ImageInspectInfo
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

/** As {@link inspectImage}, of an image that the engine named. */
export async function requireImage(
  docker: Docker,
  name: string,
  signal?: AbortSignal,
): Promise<Docker.ImageInspectInfo> {
  const found = await inspectImage(docker, name, signal)
  if (found === undefined) throw new Error(`it no longer has the image ${name}`)
  return found
}

/** Converts the engine's description of an image. Missing fields and `null` become empty. */
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

/** What else the parts of a platform are called (containerd's `platforms` package). */
const otherNames: Readonly<Record<string, string>> = { x86_64: 'amd64', 'x86-64': 'amd64', aarch64: 'arm64' }

/** Whether an image for a system and processor is one for the platform that was asked for. */
export function isForPlatform(
  image: { readonly Os: string; readonly Architecture: string; readonly Variant?: string | undefined },
  platform: string,
): boolean {
  const [system = '', processor = '', variant] = platform.split('/')
  return (
    image.Os === system &&
    image.Architecture === (otherNames[processor] ?? processor) &&
    // Many images do not say which variant they are.
    (variant === undefined || !image.Variant || image.Variant === variant)
  )
}
