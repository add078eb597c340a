// A person sees each program before it runs: Enter runs it, a text is the answer to the model, exit ends it.
import { AssistantAgent, UserProxyAgent } from '@fenced/agents'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { showRun, TerminalHumanInput } from '@fenced/terminal'

const executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
const assistant = new AssistantAgent({ name: 'assistant', model: 'anthropic/claude-sonnet-4.5' })
const user = new UserProxyAgent({
  name: 'user',
  humanInput: new TerminalHumanInput({ words: 'plain' }),
  codeExecutionConfig: { executor },
})
try {
  await showRun(user.initiateChat(assistant, { message: 'How many files are in this directory?' }))
} finally {
  await executor.stop()
}
