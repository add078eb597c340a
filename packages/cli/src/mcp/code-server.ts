import { McpServer } from '@modelcontextprotocol/server'
import type { Approvals } from './approval.ts'
import { registerFileResources } from './file-resources.ts'
import { registerFileTools } from './file-tools.ts'
import { registerProgramTools } from './program-tools.ts'
import { SessionTools } from './session-tools.ts'
import type { Sessions } from './sessions.ts'

/** What a server of code is made of. */
export interface CodeServerOptions {
  readonly sessions: Sessions
  /** Why code runs where it does, as a sentence. */
  readonly whyThere: string
  readonly version: string
  /** Whether clients name sessions; else all of it is one. */
  readonly hasNames: boolean
  /** Asks a person before each program and file, through the client. Shared by all servers of a process. Absent without `--ask`. */
  readonly approvals: Approvals | undefined
}

/** Makes a server of the Model Context Protocol whose tools run code, and read and write files, in the sandbox of a session. */
export function createCodeServer({
  sessions,
  whyThere,
  version,
  hasNames,
  approvals,
}: CodeServerOptions): McpServer {
  const limit =
    sessions.idleTimeoutMs === Number.POSITIVE_INFINITY
      ? ''
      : ` A session that is not used for ${sessions.idleTimeoutMs / 60_000} minutes loses its files.`
  const description = `Runs code ${sessions.where}. ${whyThere}`
  const instructions = `Runs code ${sessions.where}. Files stay from one call to the next.${limit}`
  const requestState = approvals === undefined ? {} : { requestState: { verify: approvals.verify } }
  const server = new McpServer({ name: 'fenced', version, description }, { instructions, ...requestState })
  const tools = new SessionTools(sessions, { hasNames })
  registerProgramTools(server, tools, approvals)
  if (sessions.hasSandbox) {
    registerFileTools(server, tools, approvals)
    registerFileResources(server, tools)
  }
  return server
}
