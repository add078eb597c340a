import { FencedError } from '../fenced-error.ts'
import type { ComponentConfig } from './component-config.ts'

/** What a kind of component knows about its own configs. */
export interface ComponentVersions {
  /** The version of its options. Default 1. */
  readonly version?: number | undefined
  /** Makes options of one version, by which they are listed, into those of the next. Default none. */
  readonly migrations?: Readonly<Record<number, (config: Options) => Options>> | undefined
}

type Options = Readonly<Record<string, unknown>>

/**
 * The options of a config in the version that its kind has today.
 *
 * @throws FencedError `CONFIG_VERSION` for one that is newer, or older than what is known.
 */
export function optionsOfToday(
  { provider, version: from, config }: ComponentConfig,
  { version = 1, migrations = {} }: ComponentVersions,
): Options {
  if (from > version) {
    throw wrongVersion(
      `This config of ${provider} has version ${from}, and what is installed knows no newer one than ${version}. Install the version of its package that made the config, or a newer one.`,
    )
  }
  let options = config
  for (let step = from; step < version; step++) {
    const migrate = Object.hasOwn(migrations, step) ? migrations[step] : undefined
    if (migrate === undefined) {
      throw wrongVersion(
        `This config of ${provider} has version ${from}, and what is installed has ${version} and knows no way from ${step} to ${step + 1}. Load it with the version of its package that made it, or write it anew.`,
      )
    }
    options = migrate(options)
  }
  return options
}

function wrongVersion(message: string): FencedError {
  return new FencedError({ code: 'CONFIG_VERSION', message })
}
