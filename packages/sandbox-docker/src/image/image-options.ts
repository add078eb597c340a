import { z } from 'zod'
import { parseImageName } from './image-name.ts'

/** The image that is taken when none is named. */
export const defaultImage = 'python:3-slim'

/** A Dockerfile, and the options of its build. */
export interface BuildSource {
  /**
   * The directory that the Dockerfile's COPY takes files from. What its `.dockerignore` names is left out.
   */
  readonly context: string
  /**
   * The Dockerfile's path, from `context`.
   *
   * @default 'Dockerfile'
   */
  readonly dockerfile?: string | undefined
  /**
   * Values for the Dockerfile's ARGs. They stay readable in the image: nothing secret.
   *
   * @default {}
   */
  readonly buildArgs?: Readonly<Record<string, string>> | undefined
  /**
   * The stage to build.
   *
   * @default the last one
   */
  readonly target?: string | undefined
}

/** Options that say which image a container is made from. */
export interface ImageOptions {
  /**
   * The image, by a name as `docker pull` takes it, or by an id. With `build`: the name that the built image gets.
   *
   * @default python:3-slim; none with `build`
   */
  readonly image?: string | undefined
  /**
   * When the image is pulled from its registry: when the engine does not have it, at every start, or never. With
   * `build` only `always` has a meaning: the Dockerfile's base images are looked up again.
   *
   * @default 'missing'
   */
  readonly pull?: 'missing' | 'always' | 'never' | undefined
  /**
   * The system and processor that the image must be for, such as `linux/arm64`.
   *
   * @default the engine's own
   */
  readonly platform?: string | undefined
  /**
   * Builds the image from a Dockerfile, with the docker command or, if it is not installed, the podman command: on the same
   * engine, with the builder and the logins that the command itself would use. What has not changed since the last time
   * is not built again.
   *
   * @default none: `image` is taken
   */
  readonly build?: BuildSource | undefined
  /**
   * Python packages, as `pip install` takes them: names with or without a version, `name @ git+https://...`, URLs.
   * They are installed once and kept as a separate image, `fenced-packages:...`, which every later start uses
   * without any network. A name without a version therefore stays at the version of that day.
   *
   * @default []
   */
  readonly packages?: readonly string[] | undefined
  /**
   * More packages, installed together with `packages`: the path of a requirements file, or its lines. Files that it
   * includes with `-r` and `-c` are taken along; other paths in it are paths in the image.
   *
   * @default none
   */
  readonly requirements?: string | readonly string[] | undefined
  /**
   * The network that packages are installed over: `bridge`, or the name of a network of the engine.
   *
   * @default 'bridge'
   */
  readonly installNetwork?: string | undefined
  /**
   * Variables for pip while it installs: an index with its password (`PIP_INDEX_URL`), a proxy (`HTTPS_PROXY`). They
   * do not get into the image, its name or any message, and the code never sees them.
   *
   * @default {}
   */
  readonly installEnv?: Readonly<Record<string, string>> | undefined
  /**
   * Time limit of an installation, in milliseconds. The start fails with `INSTALL_FAILED` when it is reached.
   *
   * @default 3_600_000
   */
  readonly installTimeoutMs?: number | undefined
}

const buildSchema = z.strictObject({
  context: z.string().min(1),
  dockerfile: z.string().min(1).default('Dockerfile'),
  buildArgs: z.record(z.string().min(1), z.string()).default({}),
  target: z.string().min(1).optional(),
})

/** {@link ImageOptions}, for an executor's own schema. */
export const imageOptionsShape = {
  image: z
    .string()
    .refine((name) => parseImageName(name) !== undefined, {
      error:
        'must be the name of an image, such as "python:3.12-slim" or "registry.example.com/team/image:1"',
    })
    .optional(),
  pull: z.enum(['missing', 'always', 'never']).default('missing'),
  platform: z
    .string()
    .regex(
      /^[a-z\d]+\/[a-z\d_]+(\/[a-z\d.]+)?$/,
      'must be a system and a processor, such as "linux/amd64" or "linux/arm/v7"',
    )
    .optional(),
  build: buildSchema.optional(),
  packages: z
    .array(
      z
        .string()
        .regex(/^\s*[^\s-]/, 'must be a package; options of pip can be lines of `requirements` as an array'),
    )
    .default([]),
  requirements: z.union([z.string().min(1), z.array(z.string())]).optional(),
  installNetwork: z.string().min(1).default('bridge'),
  installEnv: z.record(z.string().regex(/^[^=\0]+$/), z.string()).default({}),
  installTimeoutMs: z
    .int()
    .min(1)
    .max(24 * 3_600_000)
    .default(3_600_000),
} as const

const imageOptionsSchema = z.object(imageOptionsShape)

/** The options, and what only the provider of the image can know. */
export type ImageSettings = z.output<typeof imageOptionsSchema> & {
  /** Memory of the container in which packages are installed, in bytes. Default: 2 GiB. */
  readonly memoryBytes?: number | false | undefined
  /** Processors of that container. Default: 1. */
  readonly cpus?: number | false | undefined
  /** Processes and threads of that container. Default: 256. */
  readonly pids?: number | false | undefined
  /** What a person knows `image` by, where that is an id. Default: `image` itself. */
  readonly imageName?: string | undefined
  /** Called with the id of every new image, the newest last; not called for a pulled image. */
  readonly onMade?: ((imageId: string) => void) | undefined
}

/** A {@link BuildSource} with every default filled in. */
export type BuildOptions = z.output<typeof buildSchema>

/** An image that the engine has. */
export interface ProvidedImage {
  /** `sha256:...` */
  readonly id: string
  /** What a person knows it by. */
  readonly name: string
  readonly config: {
    /** Empty or 0 for root. */
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
