export type { NetworkSession, SandboxProcess, SandboxProvider, SandboxSession } from './ai-sdk.ts'
export type { ExecutorSessionOptions } from './executor-session/executor-session.ts'
export {
  type SandboxProviderOptions,
  type SandboxRequest,
  sandboxProvider,
} from './provider/sandbox-provider.ts'
export type { SandboxSessionOptions } from './session/sandbox-session.ts'
export { toSandboxSession } from './to-sandbox-session.ts'
