import { undoTool } from '@fenced/core'
import { toolInput } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import type { McpServer } from '@modelcontextprotocol/server'
import { answer, failure, type ToolSandboxes } from './tool-sandboxes.ts'

/** Registers `undo` and `list_variables`, for executors with a Python session. */
export function registerSessionTools(server: McpServer, tools: ToolSandboxes): void {
  server.registerTool(
    'undo',
    {
      title: 'Undo',
      description: undoTool(tools.sandboxes.example).description,
      inputSchema: toolInput({
        steps: z.int().min(1).max(100).default(1).describe('Number of programs to undo, the newest first.'),
        ...tools.shape,
      }),
      annotations: { destructiveHint: true, openWorldHint: false },
    },
    ({ steps, sandbox }, { mcpReq }) =>
      tools.use({ sandbox }, async (executor) => answer(await undoTool(executor).execute({ steps })), mcpReq),
  )
  server.registerTool(
    'list_variables',
    {
      title: 'List variables',
      description: 'Lists the Python variables of earlier programs: name, type, size and a short preview.',
      inputSchema: toolInput(tools.shape),
      outputSchema: z.object({
        variables: z.array(
          z.object({
            name: z.string(),
            type: z.string(),
            sizeBytes: z.number().optional(),
            preview: z.string(),
          }),
        ),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (input, { mcpReq }) =>
      tools.use(
        input,
        async ({ session }) => {
          if (session === undefined) return failure('There are no variables.')
          const variables = await session.variables()
          const lines = variables.map(({ name, type, preview }) => `${name}: ${type} = ${preview}`)
          return {
            ...answer(lines.length === 0 ? 'There are no variables.' : lines.join('\n')),
            structuredContent: { variables: variables.map((variable) => ({ ...variable })) },
          }
        },
        mcpReq,
      ),
  )
}
