import { basename, dirname, resolve } from 'node:path'
import { parseOptions } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import type { DockerExecutorOptions } from '@fenced/executor-docker'
import {
  type BuildOptions,
  type BuildSource,
  dockerSandboxShape,
  type Engine,
  type EngineConnection,
  engineOptionSchema,
  type ImageOptions,
  imageOptionsShape,
} from '@fenced/sandbox-docker'

interface ExecutorDefaults extends Pick<DockerExecutorOptions, keyof typeof executorDefaults.shape> {
  /**
   * The engine that stores the image: connection options, or a connected {@link Engine}, which several environments can share and
   * which stays open when they stop.
   *
   * @default the engine of the docker command
   */
  readonly docker?: EngineConnection | Engine | undefined
}

const executorDefaults = z.object(dockerSandboxShape).pick({
  user: true,
  env: true,
  volumes: true,
  network: true,
  extraHosts: true,
  memoryBytes: true,
  cpus: true,
  pids: true,
  gpus: true,
  runtime: true,
})

/** Options of `DockerPythonEnvironment`. Container options apply to all its executors. */
export interface DockerPythonEnvironmentOptions extends Omit<ImageOptions, 'build'>, ExecutorDefaults {
  /**
   * Dockerfile of the image: the path of a Dockerfile, with its directory as the build context, or
   * `{ context, dockerfile, buildArgs, target }`. Unchanged layers are not rebuilt.
   *
   * @default none: `image` is used
   */
  readonly build?: string | BuildSource | undefined
  /**
   * Whether `stop` keeps the images that this environment created, by building or by adding packages, so that the next start can
   * reuse them. With `false`, `stop` removes them, but never an image that existed before, that was pulled, or that is in use.
   *
   * @default true
   */
  readonly keepImage?: boolean | undefined
}

/** Schema for the options of `DockerPythonEnvironment`. All fields are optional. */
export const dockerPythonEnvironmentOptionsSchema = z.strictObject({
  ...executorDefaults.shape,
  docker: engineOptionSchema.optional(),
  ...imageOptionsShape,
  build: z
    .union([z.string().min(1), imageOptionsShape.build.unwrap()], {
      error: 'must be the path of a Dockerfile, or { context, dockerfile, buildArgs, target }',
    })
    .optional(),
  keepImage: z.boolean().default(true),
})

/** The options with every default filled in. */
export type DockerPythonSettings = Omit<z.output<typeof dockerPythonEnvironmentOptionsSchema>, 'build'> & {
  readonly build: BuildOptions | undefined
}

export function readDockerOptions(options: DockerPythonEnvironmentOptions): DockerPythonSettings {
  const { build, requirements, ...settings } = parseOptions(
    dockerPythonEnvironmentOptionsSchema,
    options,
    'DockerPythonEnvironment',
  )
  // Relative paths mean what they mean now.
  return {
    ...settings,
    build: resolvedBuild(build),
    requirements: typeof requirements === 'string' ? resolve(requirements) : requirements,
  }
}

function resolvedBuild(build: string | BuildOptions | undefined): BuildOptions | undefined {
  if (typeof build !== 'string') return build && { ...build, context: resolve(build.context) }
  const path = resolve(build)
  return { context: dirname(path), dockerfile: basename(path), buildArgs: {} }
}

const packagesSchema = z.object({ packages: imageOptionsShape.packages })

/** @throws FencedError `INVALID_OPTIONS`. */
export function readPackages(packages: readonly string[]): string[] {
  return parseOptions(packagesSchema, { packages }, 'DockerPythonEnvironment').packages
}
