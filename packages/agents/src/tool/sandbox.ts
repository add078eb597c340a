import type { Experimental_SandboxSession } from 'ai'

// What is experimental in the AI SDK is named here and nowhere else in this package.

/** A sandbox session of the AI SDK: files and processes of one sandbox. */
export type SandboxSession = Experimental_SandboxSession

/** How a tool gets the session. */
export interface SandboxOfCall {
  /** The option `sandbox` of the agent. */
  readonly experimental_sandbox?: SandboxSession
}

export function sandboxOfCall(sandbox: SandboxSession | undefined): SandboxOfCall {
  return sandbox === undefined ? {} : { experimental_sandbox: sandbox }
}
