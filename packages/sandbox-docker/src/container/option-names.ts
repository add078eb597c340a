import type { OptionNames } from '@fenced/core/internal'
import type { ExecOptions, RemoveOptions, StartContainerOptions } from './container.ts'

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
