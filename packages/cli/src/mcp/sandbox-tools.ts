import { toolInput } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import type { McpServer } from '@modelcontextprotocol/server'
import type { SandboxHandles } from './sandbox-handles.ts'
import { answer, failure, type ToolSandboxes } from './tool-sandboxes.ts'

/** Registers `open_sandbox` and `close_sandbox`, for clients that share a server. */
export function registerSandboxTools(server: McpServer, tools: ToolSandboxes, handles: SandboxHandles): void {
  const idleTimeoutSeconds = handles.idleTimeoutMs / 1_000
  server.registerTool(
    'open_sandbox',
    {
      title: 'Open a sandbox',
      description: `Opens a sandbox with its own files, and returns its handle. Pass the handle as \`sandbox\` to the other tools. The handle is secret: any client that has it can use the sandbox. It expires after ${idleTimeoutSeconds / 60} minutes without a call.`,
      inputSchema: toolInput({}),
      outputSchema: z.object({
        sandbox: z.string().describe('The handle.'),
        idleTimeoutSeconds: z.number().describe('The handle expires after this time without a call.'),
      }),
      annotations: { openWorldHint: false, destructiveHint: false },
    },
    () => {
      const sandbox = handles.open()
      if (sandbox === undefined)
        return failure('Too many sandboxes are open. Close one with `close_sandbox`, or try again later.')
      return {
        ...answer(`The handle of the sandbox is ${sandbox}`),
        structuredContent: { sandbox, idleTimeoutSeconds },
      }
    },
  )
  server.registerTool(
    'close_sandbox',
    {
      title: 'Close a sandbox',
      description: 'Stops the programs of a sandbox, and removes its files. Its handle is no longer valid.',
      inputSchema: toolInput({ sandbox: z.string().describe('A handle from `open_sandbox`.') }),
      annotations: { openWorldHint: false, destructiveHint: true, idempotentHint: true },
    },
    async ({ sandbox }) => {
      const id = handles.idOf(sandbox)
      if (id !== undefined) {
        handles.close(id)
        await tools.sandboxes.close(id)
      }
      return answer('The sandbox is closed.')
    },
  )
}
