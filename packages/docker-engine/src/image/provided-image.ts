import type Docker from 'dockerode'

/** An image that the engine has. */
export interface ProvidedImage {
  /** `sha256:...` */
  readonly id: string
  /** What a person knows it by. */
  readonly name: string
  readonly config: {
    /** Empty for root. */
    readonly user: string
    readonly env: Readonly<Record<string, string>>
    /** Empty for the root directory. */
    readonly workingDir: string
    readonly entrypoint: readonly string[]
    readonly command: readonly string[]
  }
  /** The processor that it is for, as Go names it: `amd64`, `arm64`, ... */
  readonly architecture: string
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
