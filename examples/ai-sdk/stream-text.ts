// What a program prints is shown while it runs: the outputs before the last one are preliminary.
import { codeExecutionTool, LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { isStepCount, streamText } from 'ai'

const executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
try {
  const { stream } = streamText({
    model: 'anthropic/claude-sonnet-4.5',
    prompt: 'Count to three, slowly, in a program.',
    tools: { execute_code: codeExecutionTool(executor) },
    stopWhen: isStepCount(5),
  })
  for await (const part of stream) {
    if (part.type === 'text-delta') process.stdout.write(part.text)
    if (part.type !== 'tool-result' || part.dynamic) continue
    const { status, output } = part.output
    console.log(part.preliminary ? `  so far: ${JSON.stringify(output)}` : `  ${status}: ${output.trim()}`)
  }
  console.log()
} finally {
  await executor.stop()
}
