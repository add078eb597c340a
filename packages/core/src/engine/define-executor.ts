import { z } from 'zod'
import type { ExecutorCapabilities } from '../code-executor.ts'
import { givenOptions } from '../configuration/to-component-config.ts'
import type { Language } from '../language/languages.ts'
import { parseOptions } from '../options/parse-options.ts'
import type { Driver } from './driver.ts'
import { DriverExecutor, type DriverExecutorParts } from './driver-executor.ts'
import { type EngineOptions, type ExecutorOptions, engineOptionsShape } from './options.ts'

/** What {@link defineExecutor} makes an executor of. */
export interface ExecutorDefinition<Shape extends z.ZodRawShape>
  extends Pick<DriverExecutorParts, 'stopGraceMs' | 'prepareTimeoutMs' | 'stopTimeoutMs'> {
  /** The name of the kind of executor, as messages, events and configurations have it. */
  readonly name: string
  /** What it runs: ids of built-in languages, and rows for others. An option `languages` of its user adds names to these. */
  readonly languages: ReadonlyArray<string | Language>
  /**
   * Options in addition to those that every executor has, each as a zod schema.
   *
   * @default {}
   */
  readonly options?: Shape
  /**
   * Names of options that hold secrets: `toConfig()` leaves them out and names them.
   *
   * @default []
   */
  readonly secrets?: readonly string[]
  /**
   * What it promises beside its languages.
   *
   * @default an ordinary process per block: no isolation, no state, no rich output, a network, no limits
   */
  readonly capabilities?:
    | Partial<Omit<ExecutorCapabilities, 'languages'>>
    | ((settings: ExecutorSettings<Shape>) => Partial<Omit<ExecutorCapabilities, 'languages'>>)
  /** Makes the driver of one executor from its options, which are checked and have every default filled in. */
  readonly driver: (settings: ExecutorSettings<Shape>) => Driver
}

/** The options of a defined executor with every default filled in. */
export type ExecutorSettings<Shape extends z.ZodRawShape> = EngineOptions &
  (keyof Shape extends never ? unknown : z.output<z.ZodObject<Shape>>)

/** What the maker of a defined executor takes. */
type OptionsOf<Shape extends z.ZodRawShape> = ExecutorOptions &
  (keyof Shape extends never ? unknown : z.input<z.ZodObject<Shape>>)

/** Makes executors of one kind. `registerExecutor` and `describeExecutor` accept it. */
export type DefinedExecutor<Shape extends z.ZodRawShape> = (options?: OptionsOf<Shape>) => DriverExecutor

/**
 * Defines a kind of executor by what is different about it: a {@link Driver}. The engine does the rest, with the options
 * that every executor has.
 *
 * @returns a function that makes executors. It throws FencedError `INVALID_OPTIONS`.
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
  const { name, languages, secrets, stopGraceMs, prepareTimeoutMs, stopTimeoutMs } = definition
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
      ...(stopGraceMs === undefined ? {} : { stopGraceMs }),
      ...(prepareTimeoutMs === undefined ? {} : { prepareTimeoutMs }),
      ...(stopTimeoutMs === undefined ? {} : { stopTimeoutMs }),
    })
  }
}

const plainProcess: Omit<ExecutorCapabilities, 'languages'> = {
  isolation: 'none',
  stateful: false,
  richOutput: false,
  network: true,
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
