import { z } from 'zod'
import { parseImageName } from './image-name.ts'

/** The image that is taken when none is named. */
export const defaultImage = 'python:3-slim'

const buildSchema = z.strictObject({
  /** The directory that the Dockerfile's COPY takes files from. What its `.dockerignore` names is left out. */
  context: z.string().min(1),
  /** The Dockerfile's path, from `context`. Default `Dockerfile`. */
  dockerfile: z.string().min(1).default('Dockerfile'),
  /** Values for the Dockerfile's ARGs. They stay readable in the image: nothing secret. Default none. */
  buildArgs: z.record(z.string().min(1), z.string()).default({}),
  /** The stage to build. Default: the last one. */
  target: z.string().min(1).optional(),
})

/** The options that say which image a container is made from. */
export const imageOptionsShape = {
  /**
   * The image, by a name as `docker pull` takes it, or by an id. Default `python:3-slim`. With `build`: the name that
   * the built image gets; default none.
   */
  image: z
    .string()
    .refine((name) => parseImageName(name) !== undefined, {
      error:
        'must be the name of an image, such as "python:3.12-slim" or "registry.example.com/team/image:1"',
    })
    .optional(),
  /**
   * When the image is pulled from its registry: when the engine does not have it, at every start, or never. With
   * `build` only `always` has a meaning: the Dockerfile's base images are looked up again. Default `missing`.
   */
  pull: z.enum(['missing', 'always', 'never']).default('missing'),
  /** The system and processor that the image must be for, such as `linux/arm64`. Default: the engine's own. */
  platform: z
    .string()
    .regex(
      /^[a-z\d]+\/[a-z\d_]+(\/[a-z\d.]+)?$/,
      'must be a system and a processor, such as "linux/amd64" or "linux/arm/v7"',
    )
    .optional(),
  /** Builds the image from a Dockerfile. What has not changed since the last time is not built again. */
  build: buildSchema.optional(),
  /**
   * Python packages, as `pip install` takes them: names with or without a version, `name @ git+https://...`, URLs.
   * They are installed once and kept as an image of their own, `fenced-packages:...`, which every later start uses
   * without any network. A name without a version therefore stays at the version of that day. Default none.
   */
  packages: z
    .array(
      z
        .string()
        .regex(/^\s*[^\s-]/, 'must be a package; options of pip can be lines of `requirements` as an array'),
    )
    .default([]),
  /**
   * More packages, installed together with `packages`: the path of a requirements file, or its lines. Files that it
   * includes with `-r` and `-c` are taken along; other paths in it are paths in the image. Default none.
   */
  requirements: z.union([z.string().min(1), z.array(z.string())]).optional(),
  /** The network that packages are installed over: `bridge`, or the name of a network of the engine. Default `bridge`. */
  installNetwork: z.string().min(1).default('bridge'),
  /**
   * Variables for pip while it installs: an index with its password (`PIP_INDEX_URL`), a proxy (`HTTPS_PROXY`). They
   * do not get into the image, its name or any message, and the code never sees them. Default none.
   */
  installEnv: z.record(z.string().regex(/^[^=\0]+$/), z.string()).default({}),
} as const

const imageOptionsSchema = z.object(imageOptionsShape)

/** See {@link imageOptionsShape}. */
type ImageOptions = z.output<typeof imageOptionsSchema>

/** The options, and what only whoever provides the image can know. */
export type ImageSettings = ImageOptions & {
  /** What containers that are made on the way bear, so that they are found when this process dies. */
  readonly labels: Readonly<Record<string, string>>
  /** What a person knows `image` by, where that is an id. Default: `image` itself. */
  readonly imageName?: string | undefined
  /** Hears the id of every image that is made and was not there before, the newest last; not of one that is pulled. */
  readonly onMade?: ((imageId: string) => void) | undefined
}

/** See `build` of {@link imageOptionsShape}. */
export type BuildOptions = z.output<typeof buildSchema>
