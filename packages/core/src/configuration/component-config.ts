import { FencedError } from '@fenced/errors'
import { z } from '../zod.ts'

/**
 * Options of a component (an executor, an agent, a termination condition) as plain JSON data. A config contains no code,
 * functions or secrets. Paths are stored as they were given, and relative paths are resolved against the working directory of the
 * process that loads the config.
 */
export interface ComponentConfig {
  /** The kind of component, by its registered name. */
  readonly provider: string
  /** Format version: 1. */
  readonly version: number
  /** The component's options. Components among them are stored as nested configs. */
  readonly config: Readonly<Record<string, unknown>>
  /**
   * Paths of options that were given but are not in `config`. Loading requires an override for each; `undefined` leaves the
   * option unset.
   */
  readonly omitted?: readonly string[]
}

/** The form of a {@link ComponentConfig}. What its `config` holds is checked by the component itself. */
export const componentConfigSchema: z.ZodType<ComponentConfig, ComponentConfig> = z.lazy(() =>
  z.strictObject({
    provider: z.string().min(1),
    version: z.int().min(1),
    config: z.record(z.string(), z.unknown()),
    omitted: z.array(z.string().min(1)).optional(),
  }),
) as z.ZodType<ComponentConfig, ComponentConfig>

/** Options for `toConfig`. */
export interface ToConfigOptions {
  /** Paths of options to leave out even though they are not secrets: `ask`, `executor.workDir`. Default: none. */
  readonly omit?: readonly string[] | undefined
  /** Path of this config inside a larger one, for messages. Default: the config is not nested. */
  readonly path?: string | undefined
}

/** A component that can return its own config. */
export interface Configurable {
  /** @throws FencedError `NOT_CONFIGURABLE` if an option is not plain data. */
  toConfig(options?: ToConfigOptions): ComponentConfig
}

export function isConfigurable(value: unknown): value is Configurable {
  return typeof (value as Partial<Configurable> | null | undefined)?.toConfig === 'function'
}

export function isComponentConfig(value: unknown): value is ComponentConfig {
  return componentConfigSchema.safeParse(value).success
}

/**
 * Returns the paths of all options that are left out of a config and its nested configs. Loading requires an override for each.
 */
export function omittedOptions(config: ComponentConfig): string[] {
  return omittedBelow(config, '')
}

function omittedBelow(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  const isComponent = isComponentConfig(value)
  const own = isComponent ? (value.omitted ?? []).map((name) => pathInside(path, name)) : []
  const fields = Object.entries(isComponent ? value.config : value)
  return [...own, ...fields.flatMap(([name, field]) => omittedBelow(field, pathInside(path, name)))]
}

/** The path of a field or an item inside the value at `path`. */
export function pathInside(path: string, name: string | number): string {
  return path === '' ? String(name) : `${path}.${name}`
}

/** The version of every config. */
export const configVersion = 1

/**
 * Returns the options of a config.
 *
 * @throws FencedError `CONFIG_VERSION` when the config's version is not the installed package's.
 */
export function optionsOf({ provider, version, config }: ComponentConfig): ComponentConfig['config'] {
  if (version === configVersion) return config
  throw new FencedError({
    code: 'CONFIG_VERSION',
    message: `The config for ${provider} has version ${version}, but the installed package supports version ${configVersion}. Install the package version that wrote the config.`,
    data: { provider, version: `${version}`, supportedVersion: `${configVersion}` },
  })
}
