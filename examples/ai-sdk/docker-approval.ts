// Python in a container. A person reads each program before it runs.
import { createInterface } from 'node:readline/promises'
import { codeExecutionTool, DockerCommandLineCodeExecutor, visibleCode } from '@fenced/executor-docker'
import { generateText, isStepCount } from 'ai'

const executor = new DockerCommandLineCodeExecutor({ image: 'python:3-slim' })
const execute_code = codeExecutionTool(executor, {
  ask: {
    code: async ({ question, blocks }) => {
      console.log([question, ...blocks.map(({ code }) => visibleCode(code))].join('\n'))
      const terminal = createInterface({ input: process.stdin, output: process.stdout })
      const reply = await terminal.question('Run it? [y/N] ')
      terminal.close()
      return reply.trim() === 'y' ? 'allow' : 'deny'
    },
  },
})
try {
  const { text } = await generateText({
    model: 'anthropic/claude-sonnet-4.5',
    prompt: 'How many digits does 2 to the power of 1000 have?',
    tools: { execute_code },
    stopWhen: isStepCount(5),
  })
  console.log(text)
} finally {
  await executor.stop()
}
