// A route for `useChat`: answer, programs and output stream to the page.
import {
  codeExecutionTool,
  LocalCommandLineCodeExecutor,
} from '@fenced/executor-local'
import { createAgentUIStreamResponse, ToolLoopAgent } from 'ai'

/** Each request gets its own executor, so it sees no earlier files. */
export async function POST(request: Request): Promise<Response> {
  const { messages } = (await request.json()) as { messages: unknown[] }
  // Without bubblewrap, the request fails and nothing runs. On systems
  // other than Linux, use DockerCommandLineCodeExecutor.
  const executor = new LocalCommandLineCodeExecutor({
    isolation: 'bubblewrap',
  })
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
