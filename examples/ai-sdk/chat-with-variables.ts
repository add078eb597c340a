// A chat whose programs share variables from one message to the next. The model can undo its last programs.
import { codeExecutionTool, LocalCommandLineCodeExecutor, undoTool } from '@fenced/executor-local'
import { generateText, isStepCount, type ModelMessage } from 'ai'

const executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap', stateful: true })
const tools = { execute_code: codeExecutionTool(executor), undo: undoTool(executor) }
const messages: ModelMessage[] = []
async function say(content: string): Promise<string> {
  messages.push({ role: 'user', content })
  const { text, responseMessages } = await generateText({
    ...{ model: 'anthropic/claude-sonnet-4.5', messages, tools },
    stopWhen: isStepCount(5),
  })
  messages.push(...responseMessages)
  return text
}
try {
  console.log(await say('Keep the squares of 1 to 5.'))
  console.log(await say('What is their sum?'))
} finally {
  await executor.stop()
}
