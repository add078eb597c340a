// A route for `useChat`: the answer, the programs and what they print stream to the page.
import { codeExecutionTool, LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { createAgentUIStreamResponse, ToolLoopAgent } from 'ai'

/** In bubblewrap: what a visitor asks for is nobody's to read first. `DockerCommandLineCodeExecutor` is another choice. */
const isolated = { isolation: process.platform === 'linux' ? 'bubblewrap' : 'none' } as const

/** Each request has an executor of its own, which ends with it. */
export async function POST(request: Request): Promise<Response> {
  const { messages } = (await request.json()) as { messages: unknown[] }
  const executor = new LocalCommandLineCodeExecutor(isolated)
  return createAgentUIStreamResponse({
    agent: new ToolLoopAgent({
      model: 'anthropic/claude-sonnet-4.5',
      tools: { execute_code: codeExecutionTool(executor) },
    }),
    uiMessages: messages,
    abortSignal: request.signal,
    onEnd: () => executor.stop(),
  })
}
