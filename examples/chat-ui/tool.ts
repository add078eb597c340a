// A model with a tool that runs code, for a page with `useChat`. The AI SDK asks the person before each call.
import { codeExecutionTool, LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import {
  createAgentUIStreamResponse,
  type InferUITools,
  ToolLoopAgent,
  type UIDataTypes,
  type UIMessage,
} from 'ai'
import { Hono } from 'hono'
import { servePage } from './serve-page.ts'

const executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
const tools = { execute_code: codeExecutionTool(executor) }
const agent = new ToolLoopAgent({
  model: 'anthropic/claude-sonnet-4.5',
  tools,
  toolApproval: { execute_code: 'user-approval' },
})

/** The messages of the page. */
export type ToolUIMessage = UIMessage<unknown, UIDataTypes, InferUITools<typeof tools>>

const app = new Hono()

app.post('/api/chat', async (context) => {
  const { messages } = await context.req.json<{ messages: ToolUIMessage[] }>()
  const { signal: abortSignal } = context.req.raw
  return createAgentUIStreamResponse({ agent, uiMessages: messages, abortSignal })
})

await servePage('tool', app)
