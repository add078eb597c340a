// A route for `useChat`: the answer, the programs and their output stream to the page.
import { codeExecutionTool, LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { createAgentUIStreamResponse, ToolLoopAgent } from 'ai'

/** Each request gets its own executor, so files do not survive until the next message. */
export async function POST(request: Request): Promise<Response> {
  const { messages } = (await request.json()) as { messages: unknown[] }
  // On Linux without bubblewrap, the request fails and nothing runs. On other systems, use DockerCommandLineCodeExecutor.
  const executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
  const stop = () => executor.stop()
  request.signal.addEventListener('abort', stop, { once: true })
  try {
    await executor.start()
    return await createAgentUIStreamResponse({
      agent: new ToolLoopAgent({
        model: 'anthropic/claude-sonnet-4.5',
        tools: { execute_code: codeExecutionTool(executor) },
      }),
      uiMessages: messages,
      abortSignal: request.signal,
      onEnd: stop,
    })
  } catch (error) {
    await stop()
    throw error
  }
}
