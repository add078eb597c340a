import { text } from 'node:stream/consumers'
import { teamOf } from '../team-of.fixture.ts'

// Loads the state of a team from standard input, goes on with one more run, and prints what was said and the new state.
const { team } = teamOf(Number(process.argv[2]))
await team.loadState(JSON.parse(await text(process.stdin)))
const { messages } = await team.run()
process.stdout.write(JSON.stringify({ messages, state: await team.saveState() }))
