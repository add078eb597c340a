import { solver } from '../solving.fixture.ts'

// Goes on where another process has saved its agent, and prints what the model is asked.
const { agent, prompt } = solver(['Yes.'], { systemMessage: null })
await agent.loadState(JSON.parse(process.argv[2] ?? ''))
await agent.run({ task: 'Are you sure?' })
process.stdout.write(JSON.stringify(prompt(0)))
