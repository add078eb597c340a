// A team for a page with `useChat`: one agent writes programs, another runs those that the person allows.
import {
  type AgentUIMessage,
  AssistantAgent,
  asChatAgent,
  CodeExecutorAgent,
  RoundRobinGroupChat,
  toUIMessageStream,
} from '@fenced/agents'
import { TextMentionTermination } from '@fenced/agents/termination'
import { ApprovalQueue, FencedError } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { createUIMessageStreamResponse } from 'ai'
import { Hono } from 'hono'
import { servePage } from './serve-page.ts'

const executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
const questions = new ApprovalQueue()
/** By the id of the chat. */
const teams = new Map<string, RoundRobinGroupChat>()

function createTeam(): RoundRobinGroupChat {
  const writer = new AssistantAgent({ name: 'writer', model: 'anthropic/claude-sonnet-4.5' })
  return new RoundRobinGroupChat({
    participants: [asChatAgent(writer), new CodeExecutorAgent({ name: 'runner', executor, ask: questions })],
    terminationCondition: new TextMentionTermination({ text: 'TERMINATE' }),
    maxTurns: 20,
  })
}

const app = new Hono()

app.post('/api/chat', async (context) => {
  const { id, messages } = await context.req.json<{ id: string; messages: AgentUIMessage[] }>()
  const [text] = messages.at(-1)?.parts.filter((part) => part.type === 'text') ?? []
  const team = teams.get(id) ?? createTeam()
  teams.set(id, team)
  // When the page stops or leaves, the stream is cancelled, and with it the run and its program.
  return createUIMessageStreamResponse({ stream: toUIMessageStream(team.run(text?.text)) })
})

app.post('/api/answer', async (context) => {
  const { id, answer } = await context.req.json<{ id: string; answer: 'allow' | 'deny' }>()
  try {
    questions.answer(id, answer)
    return context.body(null, 204)
  } catch (error) {
    // Another page has answered it, or the run is over.
    if (FencedError.isInstance(error) && error.code === 'UNKNOWN_APPROVAL') return context.body(null, 409)
    throw error
  }
})

await servePage('team', app)
