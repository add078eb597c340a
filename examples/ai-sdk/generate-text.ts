// A model that computes instead of guessing: its programs run here, and it reads what they print.
import { codeExecutionTool, LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { generateText, isStepCount } from 'ai'

const executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
try {
  const { text } = await generateText({
    model: 'anthropic/claude-sonnet-4.5',
    prompt: 'How many digits has 2 to the power of 1000?',
    tools: { execute_code: codeExecutionTool(executor) },
    stopWhen: isStepCount(5),
  })
  console.log(text)
} finally {
  await executor.stop()
}
