import { z } from 'zod'

/**
 * What a component is made of, as plain data that JSON keeps: an executor, an agent, a termination condition. A config
 * is data and never code: it holds no function and no secret. Paths in it are as they were given; a relative one means
 * a place below the working directory of whoever loads it.
 */
export interface ComponentConfig {
  /** The kind of component, by the name that it is registered under. */
  readonly provider: string
  /** Which version of this kind's options `config` has. */
  readonly version: number
  /** The options of the component. A component among them is a config too. */
  readonly config: Readonly<Record<string, unknown>>
  /** Paths of options that were given and are not in `config`. Whoever loads it gives each of them, or says that it is to do without. */
  readonly omitted?: readonly string[]
}

/** The form of a {@link ComponentConfig}. What its `config` holds is checked by the component itself. */
export const componentConfigSchema: z.ZodType<ComponentConfig, ComponentConfig> = z.strictObject({
  provider: z.string().min(1),
  version: z.int().min(1),
  config: z.record(z.string(), z.unknown()),
  omitted: z.array(z.string().min(1)).optional(),
}) as z.ZodType<ComponentConfig, ComponentConfig>

/** Options of `toConfig`. */
export interface ToConfigOptions {
  /** Paths of options that are left out, although they are no secrets: `approve`, `codeExecutor.workDir`. Default none. */
  readonly omit?: readonly string[] | undefined
  /** Where in a larger config this one stands, for messages. Default: it is the whole. */
  readonly path?: string | undefined
}

/** What can say what it is made of. */
export interface Configurable {
  /** @throws FencedError `NOT_CONFIGURABLE` for an option that is no data. */
  toConfig(options?: ToConfigOptions): ComponentConfig
}

export function isConfigurable(value: unknown): value is Configurable {
  return typeof (value as Partial<Configurable> | null | undefined)?.toConfig === 'function'
}

export function isComponentConfig(value: unknown): value is ComponentConfig {
  return componentConfigSchema.safeParse(value).success
}

/** The path of something inside of what stands at `path`. */
export function pathInside(path: string, name: string | number): string {
  return path === '' ? String(name) : `${path}.${name}`
}
