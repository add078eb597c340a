import { toolUser } from '../solving.fixture.ts'

// Has the answer to a question about a call in another process, and prints what was asked and what came of it.
const asked: string[] = []
const { agent, calls, model } = toolUser(['Removed.'], ({ id }) => {
  asked.push(id)
  return { decision: 'allow' }
})
await agent.loadState(JSON.parse(process.argv[2] ?? ''))
const pending = agent.pendingApproval?.question
const { text } = await agent.run()
process.stdout.write(
  JSON.stringify({ asked, pending, text, calls, told: JSON.stringify(model.prompts[0]?.at(-1)) }),
)
