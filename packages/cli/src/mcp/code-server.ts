import { McpServer } from '@modelcontextprotocol/server'
import { registerFileResources } from './file-resources.ts'
import { registerFileTools } from './file-tools.ts'
import { registerProgramTools } from './program-tools.ts'
import { SessionTools } from './session-tools.ts'
import type { Sessions } from './sessions.ts'

/** What a server of code is made of. */
export interface CodeServerOptions {
  readonly sessions: Sessions
  readonly version: string
  /** Whether clients name sessions; else all of it is one. */
  readonly hasNames: boolean
  /** Whether a person is asked before each program, by the client. */
  readonly ask: boolean
}

/** Makes a server of the Model Context Protocol whose tools run code, and read and write files, in the sandbox of a session. */
export function createCodeServer({ sessions, version, hasNames, ask }: CodeServerOptions): McpServer {
  const instructions = `Runs code ${sessions.where}. Files stay from one call to the next.`
  const server = new McpServer({ name: 'fenced', version }, { instructions })
  const tools = new SessionTools(sessions, { hasNames })
  registerProgramTools(server, tools, { ask })
  if (sessions.hasSandbox) {
    registerFileTools(server, tools)
    registerFileResources(server, tools)
  }
  return server
}
