// What is experimental in the AI SDK may have another name in any release of it: these names are in this file only.

import type { Experimental_SandboxProcess, Experimental_SandboxSession, Tool, ToolSet } from 'ai'

/** Files and processes, as tools and agents of the AI SDK take them: `experimental_sandbox`. */
export type SandboxSession = Experimental_SandboxSession

export type SandboxProcess = Experimental_SandboxProcess

export type ProcessWithStdin = SandboxProcess & { readonly stdin: WritableStream<Uint8Array> }

/** A tool that calls others of the same `generateText`, in the place of the model: a local caller of `experimental_toolCallers`. */
export type ToolCallerTool<Caller> = Caller & {
  readonly experimental_toolCaller: { readonly type: 'local'; readonly bind: (tools: ToolSet) => Tool }
}

/**
 * Makes a tool a local caller, as `experimental_toolCaller` of the SDK does, which not every `ai` 7 has.
 *
 * @param bind - returns the tool that calls these.
 */
export function toolCaller<Caller extends object>(
  tool: Caller,
  bind: (tools: ToolSet) => Tool,
): ToolCallerTool<Caller> {
  const definition = { type: 'local', bind } as const
  return Object.defineProperty({ ...tool }, 'experimental_toolCaller', {
    value: definition,
  }) as ToolCallerTool<Caller>
}

// What follows has no name of the SDK: its harness is a package that not everybody installs. A test holds it against that.

/** `HarnessV1NetworkSandboxSession` of `@ai-sdk/harness`: files and processes, ports, and an end. */
export interface NetworkSession extends Experimental_SandboxSession {
  readonly id: string
  /** An absolute path. */
  readonly defaultWorkingDirectory: string
  readonly ports: readonly number[]
  /** Where this machine reaches a port of the sandbox. */
  readonly getPortEndpoint: (options: PortOptions) => Promise<{ readonly url: string }>
  readonly getPortUrl: (options: PortOptions) => Promise<string>
  /** Other ports in the place of `ports`. */
  readonly setPorts: (ports: readonly number[]) => Promise<void>
  /** Resolves if the sandbox has this network, and rejects otherwise. */
  readonly setNetworkPolicy: (policy: NetworkPolicy) => Promise<void>
  readonly stop: () => Promise<void>
  readonly destroy: () => Promise<void>
  /** The same sandbox, without what would stop it. */
  readonly restricted: () => Experimental_SandboxSession
}

/** `HarnessV1NetworkPolicy`. */
type NetworkPolicy =
  | { readonly mode: 'allow-all' | 'deny-all' }
  | {
      readonly mode: 'custom'
      readonly allowedHosts?: readonly string[]
      readonly allowedCIDRs?: readonly string[]
      readonly deniedCIDRs?: readonly string[]
    }

interface PortOptions {
  readonly port: number
  readonly protocol?: 'http' | 'https' | 'ws'
}

/** What a harness says of a session for which it wants a sandbox. */
export interface CreateSessionOptions {
  readonly sessionId?: string
  readonly abortSignal?: AbortSignal
  /** What `onFirstCreate` writes is the same for all sessions of it. */
  readonly identity?: string
  readonly onFirstCreate?: (
    session: Experimental_SandboxSession,
    options: { abortSignal?: AbortSignal },
  ) => Promise<void>
}

/** `HarnessV1SandboxProvider` of `@ai-sdk/harness`. */
export interface SandboxProvider {
  readonly specificationVersion: 'harness-sandbox-v1'
  readonly providerId: string
  readonly createSession: (options?: CreateSessionOptions) => Promise<NetworkSession>
  readonly resumeSession: (options: {
    readonly sessionId: string
    readonly abortSignal?: AbortSignal
  }) => Promise<NetworkSession>
}
