import { basename, dirname, resolve } from 'node:path'
import { parseOptions } from '@fenced/core/driver'
import { type DockerExecutorOptions, dockerExecutorOptionsSchema } from '@fenced/executor-docker'
import {
  type BuildOptions,
  type BuildSource,
  type Engine,
  type EngineConnection,
  engineOptionSchema,
  type ImageOptions,
  imageOptionsShape,
} from '@fenced/sandbox-docker'
import { z } from 'zod'

/** What all executors of an environment have in common, unless one of them is asked for with something else. */
interface ExecutorDefaults extends Pick<DockerExecutorOptions, keyof typeof executorDefaults.shape> {
  /**
   * The engine that has the image: how to connect to it, or an {@link Engine} that is connected already, for several that share
   * one. One that was given stays open at the end.
   *
   * @default the one that the docker command would use
   */
  readonly docker?: EngineConnection | Engine | undefined
}

const executorDefaults = z.object(dockerExecutorOptionsSchema.shape).pick({
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

/** Options of `DockerPythonEnvironment`. Those of a container are for all of its executors. */
export interface DockerPythonEnvironmentOptions extends Omit<ImageOptions, 'build'>, ExecutorDefaults {
  /**
   * Builds the image from a Dockerfile: its path, which makes its directory the context, or `{ context, dockerfile,
   * buildArgs, target }`. What has not changed since the last time is not built again.
   *
   * @default none: `image` is taken
   */
  readonly build?: string | BuildSource | undefined
  /**
   * Whether the images that are made for it, a built one and those with packages, stay when it is stopped, so that
   * the next start has them at once. With `false`, `stop` removes what this environment itself has made: no image
   * that was there before or that was pulled, and none that something uses.
   *
   * @default true
   */
  readonly keepImage?: boolean | undefined
}

/** The options of `DockerPythonEnvironment`, as a schema: every field is optional. */
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
