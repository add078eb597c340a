// A model writes programs, this machine runs them, and the model reads what they print until it is done.
import { AssistantAgent, UserProxyAgent } from '@fenced/agents'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { showRun } from '@fenced/terminal'

const executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
const assistant = new AssistantAgent({ name: 'assistant', model: 'anthropic/claude-sonnet-4.5' })
const user = new UserProxyAgent({
  name: 'user',
  humanInputMode: 'never',
  codeExecutionConfig: { executor },
})
try {
  await showRun(user.initiateChat(assistant, { message: 'How many primes are below 1000?' }))
} finally {
  await executor.stop()
}
