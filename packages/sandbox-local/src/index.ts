export type { Interpreters } from './interpreters.ts'
export { LocalSandbox, type LocalSandboxParts } from './local-sandbox.ts'
export {
  type LocalSandboxOptions,
  localSandboxOptionsSchema,
  localSandboxShape,
  requireIsolation,
} from './options.ts'
