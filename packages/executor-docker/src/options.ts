import {
  type EngineOptions,
  type ExecutorOptions,
  engineOptionsShape,
  parseOptions,
} from '@fenced/core/driver'
import {
  type Engine,
  type EngineConnection,
  engineOptionSchema,
  type ImageOptions,
  imageOptionsShape,
} from '@fenced/docker-engine'
import { type WarmOptions, warmOptionSchema } from '@fenced/python-runner'
import { z } from 'zod'
import { type ContainerOptions, containerOptionsShape } from './docker/container-options.ts'
import { checkRawOptions } from './docker/raw-create-options.ts'

/** Options of `DockerCommandLineCodeExecutor`. */
export interface DockerExecutorOptions extends ExecutorOptions, ImageOptions, ContainerOptions {
  /**
   * The directory of this machine that the code finds as /workspace. Made when it is missing.
   *
   * @default a temporary one, for this user only, which `stop` removes after the container
   */
  readonly workDir?: string | undefined
  /**
   * How the working directory gets into the container: mounted (`bind`), or copied in before and out after every
   * block (`copy`), for an engine on another machine. With `auto` it is mounted where the engine sees it, else
   * copied.
   *
   * @default 'auto'
   */
  readonly workDirMode?: 'auto' | 'bind' | 'copy' | undefined
  /**
   * The path of `workDir` for the engine, where that is another one, as when this process is in a container itself.
   *
   * @default the same path
   */
  readonly bindDir?: string | undefined
  /**
   * Whether Python blocks run as forks of one Python that stays in the container, which takes a few milliseconds
   * instead of the start of a process by the engine. `preload` names modules that it imports once, for every block;
   * then it begins with the executor, and else with the first block. Where that cannot be done a notice says so, and
   * blocks run without it.
   *
   * @default false
   */
  readonly warm?: boolean | WarmOptions | undefined
  /**
   * The engine: how to connect to it, or an {@link Engine} that is connected already, for executors that share one. One that
   * was given stays open when the executor stops.
   *
   * @default the one that the docker command would use
   */
  readonly docker?: EngineConnection | Engine | undefined
}

/** The options of `DockerCommandLineCodeExecutor`, as a schema: every field is optional. */
export const dockerExecutorOptionsSchema = z
  .strictObject({
    ...engineOptionsShape,
    ...imageOptionsShape,
    ...containerOptionsShape,
    workDir: z.string().min(1).optional(),
    workDirMode: z.enum(['auto', 'bind', 'copy']).default('auto'),
    bindDir: z.string().min(1).optional(),
    warm: warmOptionSchema,
    docker: engineOptionSchema.optional(),
  })
  .refine(({ stopContainer, containerName }) => stopContainer || containerName !== undefined, {
    path: ['containerName'],
    error: 'is needed with `stopContainer: false`, to find the container again',
  })
  .refine(({ stopContainer, workDir }) => stopContainer || workDir !== undefined, {
    path: ['workDir'],
    error: 'is needed with `stopContainer: false`, because a temporary one would go before the container',
  })
  .refine(({ stopContainer, missingPackages }) => stopContainer || missingPackages === 'report', {
    path: ['missingPackages'],
    error: "must be 'report' with `stopContainer: false`, because a container is replaced to get a package",
  })

/** The options with every default filled in. */
export type DockerSettings = EngineOptions &
  z.output<typeof dockerExecutorOptionsSchema> & {
    /** Fields of `createOptions` that may weaken the isolation, and were accepted. */
    readonly weakening: readonly string[]
  }

export function readOptions(options: DockerExecutorOptions): DockerSettings {
  const settings = parseOptions(dockerExecutorOptionsSchema, options, 'DockerCommandLineCodeExecutor')
  return { ...settings, weakening: checkRawOptions(settings.createOptions, settings.allowWeakerIsolation) }
}
