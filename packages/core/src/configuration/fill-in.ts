import { FencedError } from '../fenced-error.ts'
import { type ComponentConfig, isComponentConfig } from './component-config.ts'
import { invalidConfig } from './config-error.ts'
import { omittedOptions } from './omitted-options.ts'
import { isPlainObject } from './plain-data.ts'

type Fields = Record<string, unknown>

/**
 * Puts values into a config by their paths, which lead through the configs in it as if these were their options. The
 * config is changed.
 *
 * @throws FencedError `CONFIG_INCOMPLETE` when something was left out that is not among them; `INVALID_CONFIG` for a
 *   path that leads nowhere.
 */
export function fillIn(config: ComponentConfig, values: Readonly<Fields>): ComponentConfig {
  const missing = omittedOptions(config).filter((path) => !isGiven(path, values))
  if (missing.length > 0) throw incomplete(config, missing)
  // Whole components first, so that a path into one leads into what it is replaced by.
  for (const [path, value] of Object.entries(values).sort(([a], [b]) => a.length - b.length)) {
    put(config, path, value)
  }
  return withoutOmitted(config) as ComponentConfig
}

/** Whether it, or what it is a part of, has a value; `undefined` is one. */
function isGiven(path: string, values: Readonly<Fields>): boolean {
  return Object.keys(values).some((given) => path === given || path.startsWith(`${given}.`))
}

function put(config: ComponentConfig, path: string, value: unknown): void {
  const names = path.split('.')
  const last = names.pop() as string
  let holder = config.config as Fields
  for (const name of names) {
    const next = fieldsOf(Object.hasOwn(holder, name) ? holder[name] : undefined)
    if (next === undefined) throw leadsNowhere(path, name)
    holder = next
  }
  if (value === undefined) delete holder[last]
  else holder[last] = value
}

function fieldsOf(value: unknown): Fields | undefined {
  if (isComponentConfig(value)) return value.config as Fields
  return isPlainObject(value) || Array.isArray(value) ? (value as Fields) : undefined
}

/** What was left out is answered for. */
function withoutOmitted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOmitted)
  if (!isPlainObject(value)) return value
  const fields = Object.entries(value).map(([name, field]) => [name, withoutOmitted(field)])
  const { omitted: _, ...whole } = Object.fromEntries(fields)
  return isComponentConfig(value) ? whole : Object.fromEntries(fields)
}

function incomplete({ provider }: ComponentConfig, missing: readonly string[]): FencedError {
  const list = missing.map((path) => `'${path}'`).join(', ')
  return new FencedError({
    code: 'CONFIG_INCOMPLETE',
    message: `This config of ${provider} leaves out ${list}, because secrets and functions are no part of a config. Give each of them a value in \`overrides\`, or \`undefined\` to do without it.`,
  })
}

function leadsNowhere(path: string, name: string): FencedError {
  return invalidConfig(`the override \`${path}\` leads nowhere, because there is no \`${name}\` in it.`)
}
