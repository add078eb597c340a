import { FencedError } from '../fenced-error.ts'
import { type ComponentConfig, isConfigurable, pathInside, type ToConfigOptions } from './component-config.ts'
import { holdsSecret } from './holds-secret.ts'
import { copyPlainData } from './plain-data.ts'

/** What a component says of itself for its config. */
export interface ComponentDescription {
  /** The name that its kind is registered under. */
  readonly provider: string
  /** Which version of its options this is. Default 1. */
  readonly version?: number | undefined
  /** Its options, as they were given. A component among them is described by its own `toConfig`. */
  readonly options: Readonly<Record<string, unknown>>
  /** Paths of options that may hold secrets: they are left out, and named. Default none. */
  readonly secrets?: readonly string[] | undefined
  /** Secrets that are known: an option that holds one of them anywhere is left out as well. Default none. */
  readonly secretValues?: readonly string[] | undefined
}

/**
 * The config of a component. What may hold a secret is left out and named, also an option in which an address has a
 * password.
 *
 * @throws FencedError `NOT_CONFIGURABLE` for a function, or an object that cannot say what it is made of, unless it is
 *   among `omit`.
 */
export function toComponentConfig(
  { provider, version = 1, options, secrets = [], secretValues = [] }: ComponentDescription,
  { omit = [], path = '' }: ToConfigOptions = {},
): ComponentConfig {
  const omitted: string[] = []
  const config: [string, unknown][] = []
  const copied = copyPlainData(options, {
    isLeftOut: (inside, value) => {
      const isSecret = secrets.includes(inside) && !isEmpty(value)
      if (!isSecret && !omit.includes(inside)) return false
      omitted.push(inside)
      return true
    },
    foreign: (value, inside) => {
      const whole = pathInside(path, inside)
      if (isConfigurable(value)) return value.toConfig({ omit: pathsBelow(inside, omit), path: whole })
      throw notConfigurable(provider, whole, value)
    },
  })
  for (const [name, value] of Object.entries(copied as object)) {
    if (holdsSecret(value, secretValues)) omitted.push(name)
    else config.push([name, value])
  }
  return {
    provider,
    version,
    config: Object.fromEntries(config),
    ...(omitted.length === 0 ? {} : { omitted: outermost(omitted) }),
  }
}

/** No variables at all are no secret. */
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function pathsBelow(path: string, paths: readonly string[]): string[] {
  return paths
    .filter((inside) => inside.startsWith(`${path}.`))
    .map((inside) => inside.slice(path.length + 1))
}

/** A field of an option that is left out whole is not asked for by itself. */
function outermost(paths: readonly string[]): string[] {
  const isInside = (path: string) => paths.some((other) => path.startsWith(`${other}.`))
  return paths.filter((path) => !isInside(path)).sort()
}

function notConfigurable(provider: string, path: string, value: unknown): FencedError {
  const kind = typeof value === 'function' ? 'a function' : 'no plain data'
  return new FencedError({
    code: 'NOT_CONFIGURABLE',
    message: `\`${path}\` of ${provider} is ${kind}, and a config holds only data. Leave it out with toConfig({ omit: ['${path}'] }), and give it again when the config is loaded.`,
  })
}
