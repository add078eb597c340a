import { parseOptions } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import type { EngineConnection } from '../engine/connection.ts'
import { type Engine, engineOptionSchema } from '../engine.ts'
import { type ImageOptions, imageOptionsShape } from '../image/image-options.ts'
import { type ContainerOptions, type ContainerSettings, containerOptionsShape } from './container-options.ts'
import { checkRawOptions } from './raw-create-options.ts'

/** Path at which processes see the working directory. */
export const workingDirectoryInside = '/workspace'

/** Options for `DockerSandbox`: the container, its working directory and its engine. */
export interface DockerSandboxOptions extends ImageOptions, ContainerOptions {
  /**
   * Directory on this machine that processes see as `/workspace`. Created if it does not exist.
   *
   * @default a temporary directory, accessible only to this user, which `stop` removes after the container
   */
  readonly workDir?: string | undefined
  /**
   * How the working directory is made available in the container: mounted (`bind`), or copied in before every block and back out
   * after it (`copy`), for an engine on another machine. With `auto`, it is mounted if the engine can see it, and otherwise
   * copied.
   *
   * @default 'auto'
   */
  readonly workDirMode?: 'auto' | 'bind' | 'copy' | undefined
  /**
   * Path of the working directory on the engine's machine, if it differs from the path here, for example because this process
   * runs in a container.
   *
   * @default the same path
   */
  readonly bindDir?: string | undefined
  /**
   * The engine: how to connect to it, or a connected {@link Engine} to share, which is left open at the end.
   *
   * @default the engine that the docker command would use
   */
  readonly docker?: EngineConnection | Engine | undefined
}

/** Schema fields for {@link DockerSandboxOptions}. */
export const dockerSandboxShape = {
  ...imageOptionsShape,
  ...containerOptionsShape,
  workDir: z.string().min(1).optional(),
  workDirMode: z.enum(['auto', 'bind', 'copy']).default('auto'),
  bindDir: z.string().min(1).optional(),
  docker: engineOptionSchema.optional(),
} as const

type Kept = {
  readonly stopContainer: boolean
  readonly containerName?: string | undefined
  readonly workDir?: string | undefined
  readonly network: ContainerSettings['network']
}

/** Adds checks to a schema with {@link dockerSandboxShape}: options that a container needs if it is left running. */
export function requireNamesOfKept<Schema extends z.ZodType<Kept>>(schema: Schema): Schema {
  return schema
    .refine(({ stopContainer, containerName }) => stopContainer || containerName !== undefined, {
      path: ['containerName'],
      error: 'is needed with `stopContainer: false`, to find the container again',
    })
    .refine(({ stopContainer, workDir }) => stopContainer || workDir !== undefined, {
      path: ['workDir'],
      error: 'is needed with `stopContainer: false`, because a temporary one would go before the container',
    })
    .refine(({ stopContainer, network }) => stopContainer || typeof network !== 'object', {
      path: ['network'],
      error:
        'cannot be a list with `stopContainer: false`, because a container that others use, too, has one list',
    })
}

const schema = requireNamesOfKept(z.strictObject(dockerSandboxShape))

/** Settings plus the accepted `createOptions` fields that may weaken the isolation. */
type WithWeakening<Settings> = Settings & { readonly weakening: readonly string[] }

/** Parsed {@link DockerSandboxOptions}, with defaults filled in. */
export type DockerSandboxSettings = WithWeakening<z.output<typeof schema>>

/**
 * Parses options, including container options.
 *
 * @param schema - A schema with {@link dockerSandboxShape}.
 * @param owner - Class that has the options, for error messages.
 * @throws FencedError `INVALID_OPTIONS`.
 */
export function readContainerOptions<
  Schema extends z.ZodType<Pick<ContainerSettings, 'createOptions' | 'allowWeakerIsolation'>>,
>(schema: Schema, options: object, owner: string): WithWeakening<z.output<Schema>> {
  const settings = parseOptions(schema, options, owner)
  return { ...settings, weakening: checkRawOptions(settings.createOptions, settings.allowWeakerIsolation) }
}

export function readSandboxOptions(options: DockerSandboxOptions): DockerSandboxSettings {
  return readContainerOptions(schema, options, 'DockerSandbox')
}
