import type { CodeApprovalRequest } from '@fenced/core'
import { program, solver } from '../solving.fixture.ts'

// Has the answer to what was asked in another process, and prints what was asked and what came of it.
const asked: CodeApprovalRequest[] = []
const { agent, executor, prompt } = solver(['It is 42.'], {
  systemMessage: null,
  maxRetriesOnError: 1,
  ask: {
    code: (request) => {
      asked.push(request)
      return { decision: 'allow' }
    },
  },
})
await agent.loadState(JSON.parse(process.argv[2] ?? ''))
const pending = agent.pendingApproval?.question
const { text, events } = await agent.run()
const attempts = events.flatMap((event) => (event.type === 'code-end' ? event.retryAttempt : []))
const isWrittenOnce = prompt(0).filter((line) => line.includes(program('say 42'))).length === 1
const [question] = asked.map((request) => request.question)
const after = asked.map((request) => request.after)
process.stdout.write(
  JSON.stringify({ after, question, pending, text, attempts, ran: executor.ran, isWrittenOnce }),
)
