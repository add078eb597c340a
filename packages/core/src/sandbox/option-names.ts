import { knownOptions, type OptionNames } from '../options/known-options.ts'
import type { StartSandboxOptions } from './sandbox.ts'
import type { SpawnOptions } from './sandbox-process.ts'

const startSandboxOptionNames: OptionNames<StartSandboxOptions> = {
  signal: true,
  onNotice: true,
  detached: true,
  resume: true,
  preparation: true,
}

/** @throws FencedError `INVALID_OPTIONS` for a name that is not an option. */
export function checkStartSandbox(options: StartSandboxOptions): StartSandboxOptions {
  return knownOptions(options, startSandboxOptionNames, 'start()')
}

export const spawnOptionNames: OptionNames<SpawnOptions> = {
  cwd: true,
  env: true,
  stdin: true,
  terminal: true,
  output: true,
  signal: true,
  killGraceMs: true,
  role: true,
  reapsOrphans: true,
}
