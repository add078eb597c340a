// The model sees what its program draws. No word of it in the program: an open figure is enough.
import { codeExecutionTool, LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { generateText, isStepCount } from 'ai'

const executor = new LocalCommandLineCodeExecutor({
  isolation: 'bubblewrap',
  python: process.env.VIRTUAL_ENV,
})
try {
  const { text } = await generateText({
    model: 'anthropic/claude-sonnet-4.5',
    prompt: 'Draw the sine with Matplotlib, look at it, and tell me whether it is right.',
    tools: { execute_code: codeExecutionTool(executor, { pictures: { maxCount: 2 } }) },
    stopWhen: isStepCount(5),
  })
  console.log(text)
} finally {
  await executor.stop()
}
