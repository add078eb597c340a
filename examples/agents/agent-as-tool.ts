// A ToolLoopAgent that has an agent with an executor for its code as one of its tools.
import { asTool, CodeExecutorAgent } from '@fenced/agents'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { ToolLoopAgent } from 'ai'

const model = 'anthropic/claude-sonnet-4.5'
const executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
const coder = new CodeExecutorAgent({ name: 'coder', executor, model })
const assistant = new ToolLoopAgent({ model, tools: { coder: asTool(coder) } })
try {
  const { text } = await assistant.generate({
    prompt: 'What is the sum of the digits of 2 to the power of 1000?',
  })
  console.log(text)
} finally {
  await executor.stop()
}
