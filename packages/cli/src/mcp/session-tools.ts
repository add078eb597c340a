import { type CodeExecutor, FencedError, type Notice } from '@fenced/core'
import { z } from '@fenced/core/zod'
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server'
import { RunningCall } from './running-call.ts'
import type { Sessions } from './sessions.ts'

const sessionName = /^[\w.-]{1,64}$/
const sessionField = z
  .string()
  .regex(sessionName, 'must be letters, digits, _, . and -, up to 64 of them')
  .optional()
  .describe('Which sandbox: each has its own files. Default: one of this server.')

/** What all tools have: the session in their input, and its executor. */
export class SessionTools {
  readonly sessions: Sessions
  /** Whether clients name sessions. */
  readonly hasNames: boolean
  /** The session of a client that names none. */
  readonly usualSession = 'default'
  /** Fields that every input has. Their schema has checked them where there are any. */
  readonly shape: { session?: typeof sessionField }

  constructor(sessions: Sessions, { hasNames }: { readonly hasNames: boolean }) {
    this.sessions = sessions
    this.hasNames = hasNames
    this.shape = hasNames ? { session: sessionField } : {}
  }

  /**
   * Works with the executor of the session that an input names. A failure of the sandbox is an answer that a model reads.
   *
   * @param request - the client's, for cancellation and progress.
   */
  async use(
    input: { readonly session?: unknown },
    work: (executor: CodeExecutor, running: RunningCall) => Promise<CallToolResult>,
    request?: ServerContext['mcpReq'],
  ): Promise<CallToolResult> {
    using running = new RunningCall(this.sessions.callTimeoutMs, request)
    const withNotice = async (executor: CodeExecutor, notice: Notice | undefined) => {
      const result = await work(executor, running)
      if (notice === undefined) return result
      return { ...result, content: [...result.content, ...answer(notice.message).content] }
    }
    try {
      return await this.sessions.use(this.sessionOf(input), withNotice, running.limit)
    } catch (error) {
      if (!FencedError.isInstance(error)) throw error
      return failure(`${error.message} (${error.code})`)
    }
  }

  sessionOf({ session }: { readonly session?: unknown }): string {
    return typeof session === 'string' ? session : this.usualSession
  }

  isSession(name: unknown): name is string {
    return name === this.usualSession || (this.hasNames && typeof name === 'string' && sessionName.test(name))
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
