import { toolUser } from '../solving.fixture.ts'

// Has the answer to a question about a call in another process. Prints the earlier question that it was asked after, and the outcome.
const asked: string[] = []
const { agent, calls, model } = toolUser(['Removed.'], ({ after = 'no earlier question' }) => {
  asked.push(after)
  return { decision: 'allow' }
})
await agent.loadState(JSON.parse(process.argv[2] ?? ''))
const pending = agent.pendingApproval?.question
const { text } = await agent.run()
process.stdout.write(
  JSON.stringify({ asked, pending, text, calls, told: JSON.stringify(model.prompts[0]?.at(-1)) }),
)
