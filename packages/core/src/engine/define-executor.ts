import type { Language } from '@fenced/markdown'
import type { ExecutorCapabilities } from '../code-executor.ts'
import { givenOptions } from '../configuration/to-component-config.ts'
import { parseOptions } from '../options/parse-options.ts'
import { z } from '../zod.ts'
import type { Driver } from './driver.ts'
import { DriverExecutor } from './driver-executor.ts'
import type { DriverExecutorParts } from './engine-context.ts'
import { type EngineOptions, type ExecutorOptions, engineOptionsShape } from './options.ts'

/** Definition of a kind of executor, for use with {@link defineExecutor}. */
export interface ExecutorDefinition<Shape extends z.ZodRawShape>
  extends Pick<DriverExecutorParts, 'stopGraceMs' | 'startTimeoutMs' | 'prepareTimeoutMs' | 'stopTimeoutMs'> {
  /** Name of the kind of executor, used in messages, events and configurations. */
  readonly name: string
  /** Languages of the executor: IDs of built-in languages, and rows for others. The `languages` option adds rows. */
  readonly languages: ReadonlyArray<string | Language>
  /**
   * Options in addition to those common to all executors, each as a zod schema.
   *
   * @default {}
   */
  readonly options?: Shape
  /**
   * Names of options that contain secrets. `toConfig()` leaves them out and lists their names.
   *
   * @default []
   */
  readonly secrets?: readonly string[]
  /**
   * Capabilities and guarantees of the executor, except its languages.
   *
   * @default those of an ordinary process per block: no isolation, no state, no rich output, network access, no limits
   */
  readonly capabilities?:
    | Partial<Omit<ExecutorCapabilities, 'languages'>>
    | ((settings: ExecutorSettings<Shape>) => Partial<Omit<ExecutorCapabilities, 'languages'>>)
  /** Creates the driver for one executor from its validated options, with defaults filled in. */
  readonly driver: (settings: ExecutorSettings<Shape>) => Driver
}

/** Validated options of a defined executor, with defaults filled in. */
type ExecutorSettings<Shape extends z.ZodRawShape> = EngineOptions &
  (keyof Shape extends never ? unknown : z.output<z.ZodObject<Shape>>)

type OptionsOf<Shape extends z.ZodRawShape> = ExecutorOptions &
  (keyof Shape extends never ? unknown : z.input<z.ZodObject<Shape>>)

/** Creates executors of one kind. Accepted by `registerExecutor` and `describeExecutor`. */
export type DefinedExecutor<Shape extends z.ZodRawShape> = (options?: OptionsOf<Shape>) => DriverExecutor

/**
 * Defines a kind of executor by its {@link Driver}. The engine adds everything that executors have in common, including the
 * common options.
 *
 * @returns A function that creates executors. It throws FencedError `INVALID_OPTIONS`.
 * @example
 * export const rubyExecutor = defineExecutor({
 *   name: 'ruby',
 *   languages: ['ruby'],
 *   options: { workDir: z.string().optional() },
 *   driver({ workDir }) {
 *     const workDirectory = new HostWorkDirectory({ path: workDir })
 *     return {
 *       workDirectory,
 *       run: ({ path }, io) => runProcess(['ruby', path], { cwd: workDirectory.path }, io), // of @fenced/host
 *     }
 *   },
 * })
 */
export function defineExecutor<const Shape extends z.ZodRawShape = Record<never, never>>(
  definition: ExecutorDefinition<Shape>,
): DefinedExecutor<Shape> {
  const { name, languages, secrets, stopGraceMs, startTimeoutMs = 120_000 } = definition
  const { prepareTimeoutMs, stopTimeoutMs } = definition
  const schema = z.strictObject({ ...engineOptionsShape, ...definition.options })
  const ownLanguages = languages.filter((language) => typeof language !== 'string')
  return (options = {} as OptionsOf<Shape>) => {
    // The types of a spread shape are beyond the compiler, as long as the shape is a parameter.
    const settings = parseOptions(schema, options, `the executor "${name}"`) as ExecutorSettings<Shape>
    return new DriverExecutor({
      name,
      driver: definition.driver(settings),
      capabilities: { ...capabilitiesOf(definition, settings), languages: languages.map(idOf) },
      options: { ...settings, languages: [...ownLanguages, ...settings.languages] },
      configuration: {
        provider: name,
        options: givenOptions(options, settings),
        ...(secrets === undefined ? {} : { secrets }),
      },
      startTimeoutMs,
      ...(stopGraceMs === undefined ? {} : { stopGraceMs }),
      ...(prepareTimeoutMs === undefined ? {} : { prepareTimeoutMs }),
      ...(stopTimeoutMs === undefined ? {} : { stopTimeoutMs }),
    })
  }
}

const plainProcess: Omit<ExecutorCapabilities, 'languages'> = {
  isolation: 'none',
  stateful: [],
  richOutput: false,
  network: 'open',
  limits: { memory: false, processes: false },
}

function capabilitiesOf<Shape extends z.ZodRawShape>(
  { capabilities = {} }: ExecutorDefinition<Shape>,
  settings: ExecutorSettings<Shape>,
): Omit<ExecutorCapabilities, 'languages'> {
  const own = typeof capabilities === 'function' ? capabilities(settings) : capabilities
  return { ...plainProcess, ...own }
}

function idOf(language: string | Language): string {
  return typeof language === 'string' ? language : language.id
}
