// Without a tool: each fenced block of an answer runs when its fence closes, while the model writes.
import { executeStream, LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { streamText } from 'ai'

const executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
try {
  const { textStream } = streamText({
    model: 'anthropic/claude-sonnet-4.5',
    prompt: 'Write a Python program that prints the first five squares, and explain it afterwards.',
  })
  const execution = executeStream(executor, textStream)
  for await (const event of execution) if (event.type === 'stdout') process.stdout.write(event.text)
  const { status, blocks } = await execution
  console.log(`${blocks.length} block: ${status}`)
} finally {
  await executor.stop()
}
