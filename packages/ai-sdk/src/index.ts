export type { SandboxProcess, SandboxSession } from './ai-sdk.ts'
export type { ExecutorSessionOptions } from './executor-session/executor-session.ts'
export type { SandboxSessionOptions } from './session/sandbox-session.ts'
export { toSandboxSession } from './to-sandbox-session.ts'
