export type { LocalInterpreters } from './interpreters.ts'
export { hiddenInEtc } from './isolation/etc.ts'
export {
  type LocalProcess,
  LocalSandbox,
  type LocalSandboxParts,
  type LocalSpawnOptions,
} from './local-sandbox.ts'
export {
  type LocalSandboxOptions,
  localSandboxOptionsSchema,
  localSandboxShape,
  requireIsolation,
} from './options.ts'
