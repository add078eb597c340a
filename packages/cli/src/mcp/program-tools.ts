import { type CodeApprovalRequest, type CodeExecutor, codeExecutionTool } from '@fenced/core'
import { checkBlocks, codeRequest, programInput, stateText, toolInput } from '@fenced/core/internal'
import { type ToolOutput, toolOutputText } from '@fenced/core/tool'
import { z } from '@fenced/core/zod'
import { visible, visibleName } from '@fenced/errors/text'
import { TextTail } from '@fenced/shared'
import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server'
import type { ClientSandboxes } from './client-sandboxes.ts'
import { fileUri } from './file-resources.ts'
import { limitedResult, resultSchema, stoppedAtLimit } from './result-limits.ts'
import type { RunStarter } from './run-starter.ts'
import type { Run } from './runs.ts'
import { answer, failure, type ToolSandboxes } from './tool-sandboxes.ts'

/** How many files of a result a client can open. `list_files` names the others. */
const mostLinks = 20

/** A call of a tool that runs something. */
interface ProgramCall {
  readonly sandbox?: unknown
  readonly language: string
  readonly code: string
}

/** Registers `execute_code`, `run_command` and `stop`. */
export function registerProgramTools(server: McpServer, tools: ToolSandboxes, starter: RunStarter): void {
  const { sandboxes, shape } = tools
  const { languages, network } = sandboxes.capabilities
  const annotations = { destructiveHint: true, openWorldHint: network !== 'none' }
  const runProgram = (call: ProgramCall, ctx: ServerContext) => {
    const place = sandboxes.hasSandbox ? tools.placeOf(call) : undefined
    return starter.start(call, ctx, {
      request: () => questionAbout(call, sandboxes),
      work: (executor, run) => runIn({ executor, place }, call, run),
    })
  }

  server.registerTool(
    'execute_code',
    {
      title: 'Execute code',
      description: descriptionOf(tools),
      inputSchema: toolInput({
        code: programInput('A whole program.'),
        language: z
          .enum(languages)
          .default(languages[0] ?? '')
          .describe('The language of the program.'),
        ...shape,
      }),
      outputSchema: resultSchema,
      annotations,
    },
    (input, ctx) => runProgram(input, ctx),
  )
  if (languages.includes('sh')) {
    server.registerTool(
      'run_command',
      {
        title: 'Run a command',
        description: 'Runs a command of the shell in the working directory, and returns what it printed.',
        inputSchema: toolInput({ command: programInput('As for sh.'), ...shape }),
        outputSchema: resultSchema,
        annotations,
      },
      ({ command, sandbox }, ctx) => runProgram({ sandbox, language: 'sh', code: command }, ctx),
    )
  }
  server.registerTool(
    'stop',
    {
      title: 'Stop',
      description:
        'Ends all programs in the sandbox and recreates it. Files in the working directory are kept.',
      inputSchema: toolInput(shape),
      annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    (input, { mcpReq }) =>
      tools.use(
        input,
        async (executor) => {
          await executor.restart()
          return answer('It has ended, and the sandbox is ready.')
        },
        mcpReq,
      ),
  )
}

function questionAbout(
  { language, code }: ProgramCall,
  { example, where }: ClientSandboxes,
): CodeApprovalRequest {
  const about = { agent: 'client', executor: example, context: '', retryAttempt: 0 }
  return {
    ...codeRequest({ ...about, blocks: checkBlocks([{ language, code }]) }),
    question: `May this program (${visibleName(language)}) run ${where}?`,
  }
}

/** Runs a program, with progress for a client that requested it. */
async function runIn(
  { executor, place }: { readonly executor: CodeExecutor; readonly place: string | undefined },
  { language, code }: ProgramCall,
  run: Run,
): Promise<CallToolResult> {
  const { running } = run
  const { execute } = codeExecutionTool(executor, { pictures: true })
  let last: ToolOutput | undefined
  for await (const output of execute({ language, code }, { abortSignal: running.signal })) {
    last = output
    run.last = output
    if (output.status !== 'running' || !running.isWatched) continue
    // For a person: the result contains the output unchanged.
    await running.report(visible(output.progress ?? endOf(output.output)))
  }
  if (last === undefined) return failure('It was stopped before it began.')
  const isAtLimit = last.status === 'cancelled' && running.limit.aborted
  const { pictures = [], ...output } = isAtLimit ? stoppedAtLimit(last, running.limitMs) : last
  const images = pictures.map(({ mediaType, data }) => ({
    type: 'image' as const,
    mimeType: mediaType,
    data,
  }))
  const links =
    place === undefined
      ? []
      : output.files.slice(0, mostLinks).map(({ path, sizeBytes }) => ({
          type: 'resource_link' as const,
          uri: fileUri(place, path),
          name: visibleName(path),
          size: sizeBytes,
        }))
  // Only the client's model can inform the person about an option.
  const advice = output.notices.flatMap(({ data }) => data?.advice ?? [])
  const parts = [toolOutputText(output), ...new Set(advice)]
  const text = { type: 'text' as const, text: parts.join('\n\n') }
  return {
    content: [text, ...links, ...images],
    structuredContent: limitedResult(output),
    isError: !last.success,
  }
}

/** What a progress message shows of the output so far. */
function endOf(output: string): string {
  const tail = new TextTail(1_000)
  tail.push(output)
  return tail.text
}

function descriptionOf({
  sandboxes: { capabilities, where, callTimeoutMs, programTimeoutMs },
}: ToolSandboxes): string {
  const { languages, network } = capabilities
  return [
    `Runs a program (${languages.join(', ')}) ${where}, and returns what it printed, pictures, and the files that it left.`,
    ...(network === 'none' ? ['There is no network.'] : []),
    stateText(capabilities),
    'A program cannot ask for input.',
    `A program ends after ${programTimeoutMs / 1_000} seconds at the latest. A call returns after ${callTimeoutMs / 1_000} seconds, and a program that still runs has a \`run\` for \`get_run\` and \`cancel_run\`.`,
  ].join(' ')
}
