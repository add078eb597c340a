// A program calls functions of this process, twelve times here, and prints one line: the model reads no more than that.
import { codeExecutionTool, LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { generateText, isStepCount, tool } from 'ai'
import { z } from 'zod'

const sales = tool({
  description: 'What the shop sold in a month, article by article.',
  inputSchema: z.object({ month: z.int().min(1).max(12) }),
  outputSchema: z.array(z.object({ article: z.string(), pieces: z.int() })),
  execute: ({ month }) =>
    ['pen', 'ink', 'paper'].map((article, n) => ({ article, pieces: (month * (n + 5)) % 11 })),
})

const executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
const executeCode = codeExecutionTool(executor, {
  tools: { sales },
  ask: {
    tool: ({ question }) => {
      console.log(question)
      return { decision: 'allow' }
    },
  },
})
try {
  const { text } = await generateText({
    model: 'anthropic/claude-sonnet-4.5',
    prompt: 'In which month did the shop sell the most?',
    tools: { execute_code: executeCode },
    stopWhen: isStepCount(5),
  })
  console.log(text)
} finally {
  await executor.stop()
}
