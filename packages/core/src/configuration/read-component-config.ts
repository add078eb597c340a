import { FencedError } from '@fenced/errors'
import { knownOptions } from '../options/known-options.ts'
import { pathsOf } from '../options/parse-options.ts'
import { z } from '../zod.ts'
import {
  type ComponentConfig,
  componentConfigSchema,
  isComponentConfig,
  omittedOptions,
} from './component-config.ts'
import { copyPlainData, isPlainObject } from './plain-data.ts'

/** Options for functions that load a config. */
export interface LoadConfigOptions {
  /**
   * Option values keyed by path: `env`, `executor.env`, `participants.0.ask`. They replace the values in the config;
   * `undefined` removes an option. Every option that the config leaves out needs an override. Default: none.
   */
  readonly overrides?: Readonly<Record<string, unknown>> | undefined
}

/** @throws FencedError `INVALID_OPTIONS` for a name that is not an option. */
export function checkLoadOptions(options: LoadConfigOptions = {}): LoadConfigOptions {
  return knownOptions(options, { overrides: true }, 'loadExecutor()')
}

/**
 * Checks the form of a config and returns a copy of it with the overrides applied. It does not check whether the
 * components exist or accept their options.
 *
 * @throws FencedError `INVALID_CONFIG` when it is no config, or holds values that JSON cannot hold; `CONFIG_INCOMPLETE` when
 *   the config leaves out an option that has no override.
 */
export function readComponentConfig(
  config: unknown,
  { overrides = {} }: LoadConfigOptions = {},
): ComponentConfig {
  const copy = copyPlainData(config, {
    foreign: (_, path) => {
      throw invalidConfig(`${path === '' ? 'it' : `\`${path}\``} is not data as JSON has it.`, {
        option: path,
      })
    },
  })
  const parsed = componentConfigSchema.safeParse(copy)
  if (!parsed.success) throw invalidConfig(z.prettifyError(parsed.error), { option: pathsOf(parsed.error) })
  return applyOverrides(parsed.data, overrides)
}

type Fields = Record<string, unknown>

/**
 * Sets values in a config by their paths, which pass through nested configs as if these were plain options. Changes the
 * config itself.
 *
 * @throws FencedError `CONFIG_INCOMPLETE` when an omitted option has no value; `INVALID_CONFIG` for a
 *   path that leads nowhere.
 */
function applyOverrides(config: ComponentConfig, values: Readonly<Fields>): ComponentConfig {
  const missing = omittedOptions(config).filter((path) => !isGiven(path, values))
  if (missing.length > 0) throw incomplete(config, missing)
  // Whole components first, so that a path into a component leads into its replacement.
  for (const [path, value] of Object.entries(values).sort(([a], [b]) => a.length - b.length)) {
    put(config, path, value)
  }
  return withoutOmitted(config) as ComponentConfig
}

/** Whether the option, or an option that contains it, has an override; `undefined` counts. */
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

/** Removes the lists of omitted options: each of them has its override now. */
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
    message: `The config for "${provider}" omits ${list}, because configs do not store secrets or functions. Set each option in \`overrides\`, or use \`undefined\` to leave it unset.`,
    data: { provider, option: missing.join(', ') },
  })
}

function leadsNowhere(path: string, name: string): FencedError {
  return invalidConfig(`the override \`${path}\` does not exist because the config has no \`${name}\`.`, {
    option: path,
    missing: name,
  })
}

function invalidConfig(reason: string, data: Readonly<Record<string, string>>): FencedError {
  return new FencedError({
    code: 'INVALID_CONFIG',
    message: `This is not a valid config of the form { provider, version, config }: ${reason}`,
    data,
  })
}
