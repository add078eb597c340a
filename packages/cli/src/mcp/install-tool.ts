import { type CodeExecutor, exitCodes, FencedError } from '@fenced/core'
import { installRequest, packageSchema, toolInput } from '@fenced/core/internal'
import type { ToolOutput } from '@fenced/core/tool'
import { z } from '@fenced/core/zod'
import { visible } from '@fenced/errors/text'
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server'
import { limitedResult, resultSchema } from './result-limits.ts'
import type { RunStarter } from './run-starter.ts'
import type { Run } from './runs.ts'
import { answer, type ToolSandboxes } from './tool-sandboxes.ts'

/** Registers `install_packages`. */
export function registerInstallTool(server: McpServer, tools: ToolSandboxes, starter: RunStarter): void {
  const { sandboxes, shape } = tools
  server.registerTool(
    'install_packages',
    {
      title: 'Install packages',
      description:
        'Installs Python packages in the sandbox, where programs import them. Files in the working directory are kept. Running programs end. An installation that takes longer than the call has a `run`, like a program.',
      inputSchema: toolInput({
        packages: z
          .array(packageSchema)
          .min(1)
          .max(100)
          .describe('Names with optional versions, as pip takes them: `numpy`, `pandas>=2`.'),
        ...shape,
      }),
      outputSchema: resultSchema,
      annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: true },
    },
    ({ packages, ...input }, ctx) =>
      starter.start(input, ctx, {
        request: () => installRequest(sandboxes.example, { packages }),
        work: (executor, run) => installIn(executor, packages, run),
      }),
  )
}

async function installIn(
  executor: CodeExecutor,
  packages: readonly string[],
  { running }: Run,
): Promise<CallToolResult> {
  const { signal, limit } = running
  try {
    await executor.installPackages?.(packages, {
      signal,
      onNotice: ({ message }) => void running.report(visible(message)),
    })
    return resultOf({ status: 'ok', exitCode: 0, output: `Installed: ${packages.join(', ')}` })
  } catch (error) {
    if (signal.aborted) {
      const status = limit.aborted ? 'timeout' : 'cancelled'
      return resultOf({ status, exitCode: exitCodes[status], output: 'The installation was stopped.' })
    }
    if (!FencedError.isInstance(error) || !installerFailures.includes(error.code)) throw error
    return resultOf({ status: 'error', exitCode: 1, output: error.message })
  }
}

/** Failures that the model can mend. */
const installerFailures: readonly string[] = ['INSTALL_FAILED', 'PACKAGE_NOT_ALLOWED', 'EXTERNALLY_MANAGED']

function resultOf({
  status,
  exitCode,
  output,
}: Pick<ToolOutput, 'status' | 'exitCode' | 'output'>): CallToolResult {
  const success = status === 'ok'
  const result: ToolOutput = {
    ...{ status, success, exitCode, output },
    ...{ droppedBytes: 0, files: [], notices: [] },
    ...(success ? {} : { error: output }),
  }
  return { ...answer(output), structuredContent: limitedResult(result), isError: !success }
}
