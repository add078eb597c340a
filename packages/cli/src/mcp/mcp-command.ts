import { once } from 'node:events'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { type ExecutorChoice, executorFactory, executorText } from '../executor.ts'
import { listenForStop } from '../stop-signals.ts'
import { UserError } from '../user-error.ts'
import { version } from '../version.ts'
import { Approvals } from './approval.ts'
import { createCodeServer } from './code-server.ts'
import { serveHttp } from './serve-http.ts'
import { Sessions } from './sessions.ts'
import { stdioTransport } from './stdio-transport.ts'

export interface McpOptions extends ExecutorChoice {
  readonly http: boolean
  readonly port: number
  readonly ask: boolean
  readonly maxSessions: number
}

/** Serves a sandbox over MCP until the client leaves, or somebody asks for the end. @returns the exit code. */
export async function mcp(options: McpOptions): Promise<number> {
  const { http, port, ask, maxSessions, workDir } = options
  if (http && workDir !== undefined)
    throw new UserError('--work-dir is for one client: with --http each session has a directory of its own.')
  using stop = listenForStop()
  const sessions = new Sessions(await executorFactory(options), {
    where: executorText,
    max: http ? maxSessions : 1,
    // Over stdio the session ends with its only client.
    idleMs: http ? 30 * 60_000 : Number.POSITIVE_INFINITY,
  })
  const approvals = ask ? new Approvals() : undefined
  const factory = () => createCodeServer({ sessions, version: version(), hasNames: http, approvals })
  const stopped = once(stop.signal, 'abort')
  try {
    if (http) {
      await using server = await serveHttp(factory, { port, token: process.env.FENCED_MCP_TOKEN })
      process.stderr.write(`${JSON.stringify({ url: server.url, token: server.token })}\n`)
      await stopped
      return stop.exitCode ?? 0
    }
    using stdio = stdioTransport()
    const handle = serveStdio(factory, { transport: stdio.transport })
    await Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close'), stopped])
    await handle.close()
    return stop.exitCode ?? 0
  } finally {
    await sessions.stop()
  }
}
