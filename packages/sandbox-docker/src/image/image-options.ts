import { environmentSchema } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'

import { parseImageName } from './image-name.ts'

/** The image that is used by default. */
export const defaultImage = 'python:3-slim'

/** A Dockerfile and its build options. */
export interface BuildSource {
  /**
   * Build context: the directory from which the Dockerfile's COPY takes files. Files listed in its `.dockerignore` are left out.
   */
  readonly context: string
  /**
   * Path of the Dockerfile, relative to `context`.
   *
   * @default 'Dockerfile'
   */
  readonly dockerfile?: string | undefined
  /**
   * Values for the Dockerfile's ARGs. They remain readable in the image, so do not use them for secrets.
   *
   * @default {}
   */
  readonly buildArgs?: Readonly<Record<string, string>> | undefined
  /**
   * Build stage to use.
   *
   * @default the last one
   */
  readonly target?: string | undefined
}

/** Options that determine a container's image. */
export interface ImageOptions {
  /**
   * Image name as for `docker pull`, or an image ID. With `build`, the name for the built image.
   *
   * @default python:3-slim; none with `build`
   */
  readonly image?: string | undefined
  /**
   * When to pull the image from its registry: if the engine does not have it, at every start, or never. With `build`, only
   * `always` has an effect: the Dockerfile's base images are pulled again.
   *
   * @default 'missing'
   */
  readonly pull?: 'missing' | 'always' | 'never' | undefined
  /**
   * Platform that the image must support, such as `linux/arm64`.
   *
   * @default the engine's own
   */
  readonly platform?: string | undefined
  /**
   * Builds the image from a Dockerfile with the docker command or, if that is not installed, the podman command. The build runs
   * on the same engine, with the builder and logins that the command would normally use. Unchanged steps are not rebuilt.
   *
   * @default none: `image` is used
   */
  readonly build?: BuildSource | undefined
  /**
   * Python packages, as for `pip install`: names with or without a version, `name @ git+https://...`, URLs. They are installed
   * once and saved as a separate image, `fenced-packages:...`, which later starts use without a network. A name without a version
   * therefore stays at the version that was current on the day of installation.
   *
   * @default []
   */
  readonly packages?: readonly string[] | undefined
  /**
   * Additional packages to install together with `packages`: the path of a requirements file, or its lines. Files that it
   * includes with `-r` and `-c` are included too; other paths in it refer to the image.
   *
   * @default none
   */
  readonly requirements?: string | readonly string[] | undefined
  /**
   * Network for installing packages: `'open'`, the engine's default network, or the name of an engine network.
   *
   * @default 'open'
   */
  readonly installNetwork?: string | undefined
  /**
   * Environment variables for pip during installation: an index URL with its password (`PIP_INDEX_URL`), a proxy (`HTTPS_PROXY`).
   * They are not stored in the image or its name, do not appear in any message, and are never visible to the code.
   *
   * @default {}
   */
  readonly installEnv?: Readonly<Record<string, string>> | undefined
  /**
   * Time limit for an installation, in milliseconds. If it is exceeded, startup fails with `INSTALL_FAILED`.
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

/** Schema fields for {@link ImageOptions}, for use in an executor's own schema. */
export const imageOptionsShape = {
  image: z
    .string()
    .refine((name) => parseImageName(name) !== undefined, {
      error: 'must be an image name, such as "python:3.12-slim" or "registry.example.com/team/image:1"',
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
  installNetwork: z.string().min(1).default('open'),
  installEnv: environmentSchema.default({}),
  installTimeoutMs: z
    .int()
    .min(1)
    .max(24 * 3_600_000)
    .default(3_600_000),
} as const

const imageOptionsSchema = z.object(imageOptionsShape)

/** Parsed image options, plus details that only the provider of the image knows. */
export type ImageSettings = z.output<typeof imageOptionsSchema> & {
  /** Memory limit for the container in which packages are installed, in bytes. Default: 2 GiB. */
  readonly memoryBytes?: number | false | undefined
  /** Number of CPUs for that container. Default: 1. */
  readonly cpus?: number | false | undefined
  /** Maximum number of processes and threads in that container. Default: 256. */
  readonly pids?: number | false | undefined
  /** Human-readable name for `image`, if that is an ID. Default: `image` itself. */
  readonly imageName?: string | undefined
  /** Called with the ID of every new image, the newest last. Not called for a pulled image. */
  readonly onMade?: ((imageId: string) => void) | undefined
}

/** A {@link BuildSource} with defaults filled in. */
export type BuildOptions = z.output<typeof buildSchema>

/** An image that is available on the engine. */
export interface ProvidedImage {
  /** ID of the image: `sha256:...` */
  readonly id: string
  /** Human-readable name. */
  readonly name: string
  readonly config: {
    /** User that the image runs as. Empty or 0 for root. */
    readonly user: string
    readonly env: Readonly<Record<string, string>>
    /** Working directory of the image. Empty for the root directory. */
    readonly workingDir: string
    readonly entrypoint: readonly string[]
    readonly command: readonly string[]
  }
  /** Processor architecture of the image, as Go names it: `amd64`, `arm64`, ... */
  readonly architecture: string
}
