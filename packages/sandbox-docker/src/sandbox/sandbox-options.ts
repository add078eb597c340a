import { parseOptions } from '@fenced/core/driver'
import { z } from 'zod'
import type { EngineConnection } from '../engine/connection.ts'
import { type Engine, engineOptionSchema } from '../engine.ts'
import { type ImageOptions, imageOptionsShape } from '../image/image-options.ts'
import { EnginePool } from '../pool/engine-pool.ts'
import {
  type ContainerOptions,
  type ContainerSettings,
  containerOptionsShape,
  networkListOf,
} from './container-options.ts'
import { checkRawOptions } from './raw-create-options.ts'

/** Where processes find the working directory. */
export const workingDirectoryInside = '/workspace'

/** How the working directory gets into a container, and which engine makes it. */
export interface DockerContainerOptions extends ImageOptions, ContainerOptions {
  /**
   * How the working directory gets into the container: mounted (`bind`), or copied in before and out after every
   * block (`copy`), for an engine on another machine. With `auto` it is mounted where the engine sees it, else
   * copied.
   *
   * @default 'auto'
   */
  readonly workDirMode?: 'auto' | 'bind' | 'copy' | undefined
  /**
   * The path of the working directory on the engine's machine, if it differs, as when this process runs in a container.
   *
   * @default the same path
   */
  readonly bindDir?: string | undefined
  /**
   * The engine: how to connect to it, a connected {@link Engine} to share, or an
   * {@link EnginePool}, from which each start gets the engine with the most room. A given engine or pool stays open at the end.
   *
   * @default the engine that the docker command would use
   */
  readonly docker?: EngineConnection | Engine | EnginePool | undefined
}

/** Options of `DockerSandbox`. */
export interface DockerSandboxOptions extends DockerContainerOptions {
  /**
   * The directory of this machine that processes find as /workspace. Made when it is missing.
   *
   * @default a temporary one, for this user only, which `stop` removes after the container
   */
  readonly directory?: string | undefined
}

/** {@link DockerContainerOptions}, for a schema. */
export const dockerContainerShape = {
  ...imageOptionsShape,
  ...containerOptionsShape,
  workDirMode: z.enum(['auto', 'bind', 'copy']).default('auto'),
  bindDir: z.string().min(1).optional(),
  docker: z
    .union([z.custom<EnginePool>((value) => value instanceof EnginePool), engineOptionSchema])
    .optional(),
} as const

type Kept = {
  readonly stopContainer: boolean
  readonly containerName?: string | undefined
  readonly network: ContainerSettings['network']
}

/** What a container needs that is left running, of a schema with {@link dockerContainerShape} and a directory of this name. */
export function requireNamesOfKept<Schema extends z.ZodType<Kept>>(
  schema: Schema,
  directory: keyof z.output<Schema> & string,
): Schema {
  return schema
    .refine(({ stopContainer, containerName }) => stopContainer || containerName !== undefined, {
      path: ['containerName'],
      error: 'is needed with `stopContainer: false`, to find the container again',
    })
    .refine((options) => options.stopContainer || options[directory] !== undefined, {
      path: [directory],
      error: 'is needed with `stopContainer: false`, because a temporary one would go before the container',
    })
    .refine((options) => options.stopContainer || networkListOf(options) === undefined, {
      path: ['network'],
      error:
        'cannot be a list with `stopContainer: false`, because a container that others use, too, has one list',
    })
}

const schema = requireNamesOfKept(
  z.strictObject({ ...dockerContainerShape, directory: z.string().min(1).optional() }),
  'directory',
)

/** Settings with the fields of `createOptions` that may weaken the isolation, and were accepted. */
export type WithWeakening<Settings> = Settings & { readonly weakening: readonly string[] }

/** The options with every default filled in. */
export type DockerSandboxSettings = WithWeakening<z.output<typeof schema>>

/**
 * Parses options, including the options of a container.
 *
 * @param schema - a schema with {@link dockerContainerShape}.
 * @param owner - the class that has the options, for errors.
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
