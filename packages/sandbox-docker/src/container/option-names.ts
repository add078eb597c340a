import { knownOptions, type OptionNames } from '@fenced/core/internal'
import type { CallOptions, ExecOptions, RemoveOptions, StartContainerOptions } from './container.ts'

export const execOptionNames: OptionNames<ExecOptions> = {
  user: true,
  cwd: true,
  env: true,
  stdin: true,
  signal: true,
}

export const removeOptionNames: OptionNames<RemoveOptions> = { limitMs: true, signal: true }

export const startContainerOptionNames: OptionNames<StartContainerOptions> = {
  signal: true,
  outlivesProcess: true,
  temporaryDirectory: true,
}

/** @throws FencedError `INVALID_OPTIONS` for a name other than `signal`. */
export function checkCall<Options extends Partial<CallOptions>>(options: Options): Options {
  knownOptions<Partial<CallOptions>>(options, { signal: true }, 'a call to the engine')
  return options
}
