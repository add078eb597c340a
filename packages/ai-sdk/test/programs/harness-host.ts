// Runs the first prompt of a scripted agent in a detached container, prints what resumes it, and is killed.
import { HarnessAgent } from '@ai-sdk/harness/agent'
import { scriptedHarness } from '../harness/scripted-harness.ts'
import { detachedProvider } from '../provider/detached-provider.ts'

const { directory, sessionId, prompt } = JSON.parse(process.argv[2] ?? '{}')
const agent = new HarnessAgent({ harness: scriptedHarness, sandbox: detachedProvider(directory) })
const session = await agent.createSession({ sessionId })
await agent.generate({ session, prompt })
const state = JSON.stringify(await session.detach())
process.stdout.write(state, () => process.kill(process.pid, 'SIGKILL'))
