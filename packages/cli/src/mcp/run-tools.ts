import { toolInput } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import type { McpServer } from '@modelcontextprotocol/server'
import { resultSchema } from './result-limits.ts'
import type { Runs } from './runs.ts'

/** Registers `get_run` and `cancel_run`. */
export function registerRunTools(server: McpServer, runs: Runs): void {
  const inputSchema = toolInput({
    run: z.string().describe('As in the result of a call whose program still runs.'),
  })
  server.registerTool(
    'get_run',
    {
      title: 'Get a run',
      description:
        'Waits for the end of a program that still runs, and returns its result, or its output so far. Results are kept for 10 minutes.',
      inputSchema,
      outputSchema: resultSchema,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ run }) => runs.wait(run, { cancels: false }),
  )
  server.registerTool(
    'cancel_run',
    {
      title: 'Cancel a run',
      description: 'Stops a program that still runs, and returns its result.',
      inputSchema,
      outputSchema: resultSchema,
      annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    ({ run }) => runs.wait(run, { cancels: true }),
  )
}
