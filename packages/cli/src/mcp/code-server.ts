import { McpServer } from '@modelcontextprotocol/server'
import type { Approvals } from './approval.ts'
import type { ClientSandboxes } from './client-sandboxes.ts'
import { registerFileResources } from './file-resources.ts'
import { registerFileTools } from './file-tools.ts'
import { registerInstallTool } from './install-tool.ts'
import { registerProgramTools } from './program-tools.ts'
import { RunStarter } from './run-starter.ts'
import { registerRunTools } from './run-tools.ts'
import type { Runs } from './runs.ts'
import type { SandboxHandles } from './sandbox-handles.ts'
import { registerSandboxTools } from './sandbox-tools.ts'
import { registerSessionTools } from './session-tools.ts'
import { ToolSandboxes } from './tool-sandboxes.ts'

/** What a server of code is made of. */
export interface CodeServerOptions {
  readonly sandboxes: ClientSandboxes
  /** Why code runs where it does, as a sentence. */
  readonly whyThere: string
  readonly version: string
  /** Handles of the sandboxes of clients that share the server. Absent for a single client. */
  readonly handles: SandboxHandles | undefined
  /** Programs that outlived their calls. Shared by all servers of a process. */
  readonly runs: Runs
  /** Asks a person before each program, installation and file, through the client. Shared by all servers of a process. Absent without `--ask`. */
  readonly approvals: Approvals | undefined
}

/** Makes a server of the Model Context Protocol whose tools run code, and read and write files, in the sandbox of a client. */
export function createCodeServer({
  sandboxes,
  whyThere,
  version,
  handles,
  approvals,
  runs,
}: CodeServerOptions): McpServer {
  const limit =
    sandboxes.idleTimeoutMs === Number.POSITIVE_INFINITY
      ? ''
      : ` A sandbox that is not used for ${sandboxes.idleTimeoutMs / 60_000} minutes loses its files.`
  const description = `Runs code ${sandboxes.where}. ${whyThere}`
  const instructions = `Runs code ${sandboxes.where}. Files stay from one call to the next.${limit}${handles === undefined ? '' : ' Calls without the handle of a sandbox from `open_sandbox` share a sandbox with other clients.'}`
  const requestState = approvals === undefined ? {} : { requestState: { verify: approvals.verify } }
  const server = new McpServer({ name: 'fenced', version, description }, { instructions, ...requestState })
  const tools = new ToolSandboxes(sandboxes, handles)
  if (handles !== undefined) registerSandboxTools(server, tools, handles)
  const starter = new RunStarter({ server, tools, runs, approvals })
  registerProgramTools(server, tools, starter)
  if (sandboxes.example.installPackages !== undefined) registerInstallTool(server, tools, starter)
  registerRunTools(server, runs)
  // An undo changes files, and no question can show how.
  if (sandboxes.example.session !== undefined && approvals === undefined) registerSessionTools(server, tools)
  if (sandboxes.hasSandbox) {
    registerFileTools(server, tools, approvals)
    registerFileResources(server, tools)
  }
  return server
}
