import { type CodeExecutor, FencedError, type Notice } from '@fenced/core'
import { z } from '@fenced/core/zod'
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server'
import type { ClientSandboxes } from './client-sandboxes.ts'
import { RunningCall } from './running-call.ts'
import type { SandboxHandles } from './sandbox-handles.ts'

const sandboxField = z
  .string()
  .optional()
  .describe('A handle from `open_sandbox`. Default: a sandbox that all clients of this server share.')

/** What names a sandbox in the input of a tool. */
export interface SandboxInput {
  readonly sandbox?: unknown
}

const notOpen =
  'No sandbox is open under this handle: it was closed, or expired without a call. Open another sandbox with `open_sandbox`. Files of the earlier one are gone.'

/** What all tools have: the handle of a sandbox in their input, and its executor. */
export class ToolSandboxes {
  readonly sandboxes: ClientSandboxes
  /** Handles of clients that share the server. Absent for a single client, which has one sandbox. */
  readonly handles: SandboxHandles | undefined
  /** The key of a client without a handle, also in addresses of resources. */
  readonly usualKey = 'default'
  /** Fields that every input has. Their schema has checked them where there are any. */
  readonly shape: { sandbox?: typeof sandboxField }

  constructor(sandboxes: ClientSandboxes, handles?: SandboxHandles) {
    this.sandboxes = sandboxes
    this.handles = handles
    this.shape = handles === undefined ? {} : { sandbox: sandboxField }
  }

  /**
   * Works with the executor of the sandbox that an input names. A failure of the sandbox is an answer that a model reads.
   *
   * @param request - the client's, for cancellation and progress; or a call with another time limit.
   */
  async use(
    input: SandboxInput,
    work: (executor: CodeExecutor, running: RunningCall) => Promise<CallToolResult>,
    request?: ServerContext['mcpReq'] | RunningCall,
  ): Promise<CallToolResult> {
    const key = this.keyOf(input)
    if (key === undefined) return sandboxNotOpen()
    using _ = this.handles?.use(key)
    const { callTimeoutMs } = this.sandboxes
    using running = request instanceof RunningCall ? request : new RunningCall(callTimeoutMs, request)
    const withNotice = async (executor: CodeExecutor, notice: Notice | undefined) => {
      const result = await work(executor, running)
      if (notice === undefined) return result
      return { ...result, content: [...result.content, ...answer(notice.message).content] }
    }
    try {
      return await this.sandboxes.use(key, withNotice, running.limit)
    } catch (error) {
      if (!FencedError.isInstance(error)) throw error
      return failureOf(error)
    }
  }

  /** Returns the key of the sandbox that an input names; `undefined` for a handle that is not open. */
  keyOf(input: SandboxInput): string | undefined {
    return this.keyAt(this.placeOf(input))
  }

  /** How the address of a resource names the sandbox of an input. */
  placeOf({ sandbox }: SandboxInput): string {
    return typeof sandbox === 'string' ? sandbox : this.usualKey
  }

  /** Returns the key of the sandbox that an address of a resource names. */
  keyAt(place: string): string | undefined {
    return place === this.usualKey ? place : this.handles?.idOf(place)
  }
}

/** An answer that is a text. */
export function answer(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] }
}

/** An answer that says why there is none. */
export function failure(text: string): CallToolResult {
  return { ...answer(text), isError: true }
}

/** The answer to a call that failed, with its code and values for programs: data must fit the schema of a tool's result. */
export function failureOf({ message, code, data = {} }: FencedError): CallToolResult {
  return { ...failure(`${message} (${code})`), _meta: { 'io.fenced/error': { code, message, data } } }
}

/** The answer to a call whose handle is not open. */
export function sandboxNotOpen(): CallToolResult {
  return failure(notOpen)
}
