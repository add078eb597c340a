import { McpServer } from '@modelcontextprotocol/server'
import type { Approvals } from './approval.ts'
import { registerFileResources } from './file-resources.ts'
import { registerFileTools } from './file-tools.ts'
import { registerProgramTools } from './program-tools.ts'
import { registerRunTools } from './run-tools.ts'
import type { Runs } from './runs.ts'
import type { SandboxHandles } from './sandbox-handles.ts'
import { registerSandboxTools } from './sandbox-tools.ts'
import { SessionTools } from './session-tools.ts'
import type { Sessions } from './sessions.ts'

/** What a server of code is made of. */
export interface CodeServerOptions {
  readonly sessions: Sessions
  /** Why code runs where it does, as a sentence. */
  readonly whyThere: string
  readonly version: string
  /** Handles of the sandboxes of clients that share the server. Absent for a single client. */
  readonly handles: SandboxHandles | undefined
  /** Programs that outlived their calls. Shared by all servers of a process. */
  readonly runs: Runs
  /** Asks a person before each program and file, through the client. Shared by all servers of a process. Absent without `--ask`. */
  readonly approvals: Approvals | undefined
}

/** Makes a server of the Model Context Protocol whose tools run code, and read and write files, in the sandbox of a session. */
export function createCodeServer({
  sessions,
  whyThere,
  version,
  handles,
  approvals,
  runs,
}: CodeServerOptions): McpServer {
  const limit =
    sessions.idleTimeoutMs === Number.POSITIVE_INFINITY
      ? ''
      : ` A sandbox that is not used for ${sessions.idleTimeoutMs / 60_000} minutes loses its files.`
  const description = `Runs code ${sessions.where}. ${whyThere}`
  const instructions = `Runs code ${sessions.where}. Files stay from one call to the next.${limit}${handles === undefined ? '' : ' Calls without the handle of a sandbox from `open_sandbox` share a sandbox with other clients.'}`
  const requestState = approvals === undefined ? {} : { requestState: { verify: approvals.verify } }
  const server = new McpServer({ name: 'fenced', version, description }, { instructions, ...requestState })
  const tools = new SessionTools(sessions, handles)
  if (handles !== undefined) registerSandboxTools(server, tools, handles)
  registerProgramTools(server, tools, { approvals, runs })
  registerRunTools(server, runs)
  if (sessions.hasSandbox) {
    registerFileTools(server, tools, approvals)
    registerFileResources(server, tools)
  }
  return server
}
