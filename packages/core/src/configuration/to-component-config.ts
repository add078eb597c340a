import { FencedError } from '@fenced/errors'
import { knownOptions } from '../options/known-options.ts'
import {
  type ComponentConfig,
  configVersion,
  isConfigurable,
  pathInside,
  type ToConfigOptions,
} from './component-config.ts'
import { copyPlainData } from './plain-data.ts'

/** Returns the validated options that the caller passed explicitly, without the defaults. */
export function givenOptions(given: object, checked: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(checked).filter(
      ([name, value]) => value !== undefined && (given as Record<string, unknown>)[name] !== undefined,
    ),
  )
}

/** Description of a component, for `toComponentConfig`. */
export interface ComponentDescription {
  /** Registered name of the kind of component. */
  readonly provider: string
  /** The component's options as they were given. Components among them are converted by their own `toConfig`. */
  readonly options: Readonly<Record<string, unknown>>
  /** Paths of options that may contain secrets. They are left out and listed. Default: none. */
  readonly secrets?: readonly string[] | undefined
  /** Known secrets. Any option that contains one of them is also left out. Default: none. */
  readonly secretValues?: readonly string[] | undefined
}

/**
 * Returns the config of a component. Options that may hold a secret are left out and listed in `omitted`, also those in
 * which a URL has a password.
 *
 * @throws FencedError `INVALID_OPTIONS`; `NOT_CONFIGURABLE` for a function, or an object without `toConfig`, unless it is among `omit`.
 */
export function toComponentConfig(
  { provider, options, secrets = [], secretValues = [] }: ComponentDescription,
  given: ToConfigOptions = {},
): ComponentConfig {
  const { omit = [], path = '' } = knownOptions(given, { omit: true, path: true }, 'toConfig()')
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
    version: configVersion,
    config: Object.fromEntries(config),
    ...(omitted.length === 0 ? {} : { omitted: outermost(omitted) }),
  }
}

/** An empty `env` hides nothing. */
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function pathsBelow(path: string, paths: readonly string[]): string[] {
  return paths
    .filter((inside) => inside.startsWith(`${path}.`))
    .map((inside) => inside.slice(path.length + 1))
}

/** Drops the paths inside of an option that is left out as a whole. */
function outermost(paths: readonly string[]): string[] {
  const isInside = (path: string) => paths.some((other) => path.startsWith(`${other}.`))
  return paths.filter((path) => !isInside(path)).sort()
}

function notConfigurable(provider: string, path: string, value: unknown): FencedError {
  const kind = typeof value === 'function' ? 'a function' : 'not plain data'
  return new FencedError({
    code: 'NOT_CONFIGURABLE',
    message: `Option \`${path}\` of "${provider}" is ${kind}, but a config can hold only data. Omit it with toConfig({ omit: ['${path}'] }), and pass it again when you load the config.`,
    data: { option: path, provider },
  })
}

/** A user name with a password, or a token, in a URL. A user name alone is no secret: `ssh://git@host`. */
const webLogin = /\bhttps?:\/\/[^\s/?#@]+@|:\/\/[^\s/?#:@]*:[^\s/?#@]+@/i
/** A key among the parameters of a URL. */
const keyParameter = /[?&](?:access_token|api[_-]?key|auth|key|password|secret|sig|signature|token)=[^&\s]/i

/** Whether a text in plain data holds a URL with a login, or one of the known secrets. */
function holdsSecret(data: unknown, known: readonly string[]): boolean {
  if (typeof data === 'string') {
    return webLogin.test(data) || keyParameter.test(data) || known.some((secret) => data.includes(secret))
  }
  if (typeof data !== 'object' || data === null) return false
  return Object.entries(data).some(([name, value]) => holdsSecret(name, known) || holdsSecret(value, known))
}
