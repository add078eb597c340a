// What is experimental in the AI SDK may have another name in any release of it: these names are in this file only.

import type { Experimental_SandboxProcess, Experimental_SandboxSession, Tool, ToolSet } from 'ai'

/** Access to a sandbox's files and processes, as passed to the AI SDK's tools and agents in `experimental_sandbox`. */
export type SandboxSession = Experimental_SandboxSession

export type SandboxProcess = Experimental_SandboxProcess

export type FileStat = NonNullable<Awaited<ReturnType<SandboxSession['stat']>>>

export type DirectoryEntry = NonNullable<Awaited<ReturnType<SandboxSession['listDirectory']>>>[number]

export type ProcessWithStdin = SandboxProcess & { readonly stdin: WritableStream<Uint8Array> }

/** The tool call options of the AI SDK that these tools use. */
export interface SandboxToolCall {
  readonly abortSignal?: AbortSignal | undefined
}

/**
 * A tool that calls other tools in the same `generateText` call in place of the model: a local caller for
 * `experimental_toolCallers`.
 */
export type ToolCallerTool<Caller> = Caller & {
  readonly experimental_toolCaller: { readonly type: 'local'; readonly bind: (tools: ToolSet) => Tool }
}

/**
 * Turns a tool into a local caller, like the SDK's `experimental_toolCaller`, which some releases of `ai` 7 lack.
 *
 * @param bind - Returns the tool that calls the given tools.
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

/** `HarnessV1NetworkSandboxSession` from `@ai-sdk/harness`: files, processes, ports, and methods that stop the sandbox. */
export interface NetworkSession extends Experimental_SandboxSession {
  readonly id: string
  /** Absolute path of the working directory. */
  readonly defaultWorkingDirectory: string
  readonly ports: readonly number[]
  /** Returns the address at which this machine reaches a port of the sandbox. */
  readonly getPortEndpoint: (options: PortOptions) => Promise<{ readonly url: string }>
  readonly getPortUrl: (options: PortOptions) => Promise<string>
  /** Replaces `ports`. */
  readonly setPorts: (ports: readonly number[]) => Promise<void>
  /** Resolves if the sandbox already has this network policy, and rejects otherwise. */
  readonly setNetworkPolicy: (policy: NetworkPolicy) => Promise<void>
  readonly stop: () => Promise<void>
  readonly destroy: () => Promise<void>
  /** Returns the same sandbox without the methods that would stop it. */
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

/** What a harness passes when it requests a sandbox for a session. */
export interface CreateSessionOptions {
  readonly sessionId?: string
  readonly abortSignal?: AbortSignal
  /** Key of the preparation: `onFirstCreate` writes the same files for all sessions with this identity. */
  readonly identity?: string
  readonly onFirstCreate?: (
    session: Experimental_SandboxSession,
    options: { abortSignal?: AbortSignal },
  ) => Promise<void>
}

/** `HarnessV1SandboxProvider` from `@ai-sdk/harness`. */
export interface SandboxProvider {
  readonly specificationVersion: 'harness-sandbox-v1'
  readonly providerId: string
  readonly createSession: (options?: CreateSessionOptions) => Promise<NetworkSession>
  readonly resumeSession: (options: {
    readonly sessionId: string
    readonly abortSignal?: AbortSignal
  }) => Promise<NetworkSession>
}
