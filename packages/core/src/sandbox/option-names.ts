import type { OptionNames } from '../options/known-options.ts'
import type { StartSandboxOptions } from './sandbox.ts'
import type { SpawnOptions } from './sandbox-process.ts'

export const startSandboxOptionNames: OptionNames<StartSandboxOptions> = {
  signal: true,
  onNotice: true,
  detached: true,
  resume: true,
  preparation: true,
}

export const spawnOptionNames: OptionNames<SpawnOptions> = {
  cwd: true,
  env: true,
  stdin: true,
  output: true,
  signal: true,
  killGraceMs: true,
  role: true,
  reapsOrphans: true,
}
