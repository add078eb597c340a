import { z } from 'zod'
import { type ComponentConfig, componentConfigSchema } from './component-config.ts'
import { invalidConfig } from './config-error.ts'
import { fillIn } from './fill-in.ts'
import { copyPlainData } from './plain-data.ts'

/** Options of whatever loads a config. */
export interface LoadConfigOptions {
  /**
   * Options by their paths: `env`, `codeExecutor.env`, `participants.0.approve`. They take the place of what the config
   * has; `undefined` is to do without. All that the config has left out must be among them. Default none.
   */
  readonly overrides?: Readonly<Record<string, unknown>> | undefined
}

/**
 * A config from outside: a copy of it, with the overrides in their places. Whether its components exist, and can be
 * made of what they get, is not looked at yet.
 *
 * @throws FencedError `INVALID_CONFIG` when it is no config, or holds what is no data; `CONFIG_INCOMPLETE` when
 *   something was left out that the overrides do not have.
 */
export function readComponentConfig(
  config: unknown,
  { overrides = {} }: LoadConfigOptions = {},
): ComponentConfig {
  const copy = copyPlainData(config, {
    foreign: (_, path) => {
      throw invalidConfig(`${path === '' ? 'it' : `\`${path}\``} is not data as JSON has it.`)
    },
  })
  const parsed = componentConfigSchema.safeParse(copy)
  if (!parsed.success) throw invalidConfig(z.prettifyError(parsed.error))
  return fillIn(parsed.data, overrides)
}
