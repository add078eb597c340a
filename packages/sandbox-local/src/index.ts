export type { LocalInterpreters } from './interpreters.ts'
export { hiddenInEtc } from './isolation/etc.ts'
export type { LocalProcess, LocalSpawnOptions } from './local-process.ts'
export { LocalSandbox, type LocalSandboxParts } from './local-sandbox.ts'
export {
  type LocalSandboxOptions,
  localSandboxShape,
  requireIsolation,
} from './options.ts'
