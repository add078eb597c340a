// A directory and an executor that stay between the requests of one conversation, and end when it rests.
import { codeExecutionTool, LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { generateText, isStepCount } from 'ai'

interface Session {
  readonly executor: LocalCommandLineCodeExecutor
  rest: NodeJS.Timeout
}

const sessions = new Map<string, Session>()
const restMs = 10 * 60_000

/** In bubblewrap (Linux), because each user has a session. On other systems, use DockerCommandLineCodeExecutor here. */
const newExecutor = () => new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })

function sessionOf(id: string): LocalCommandLineCodeExecutor {
  const { executor, rest } = sessions.get(id) ?? { executor: newExecutor() }
  clearTimeout(rest)
  sessions.set(id, { executor, rest: setTimeout(() => end(id), restMs) })
  return executor
}

async function end(id: string): Promise<void> {
  const session = sessions.get(id)
  sessions.delete(id)
  clearTimeout(session?.rest)
  await session?.executor.stop()
}

async function answer(id: string, prompt: string): Promise<string> {
  const executor = sessionOf(id)
  await executor.start()
  const tools = { execute_code: codeExecutionTool(executor) }
  const { text } = await generateText({
    model: 'anthropic/claude-sonnet-4.5',
    prompt,
    tools,
    stopWhen: isStepCount(5),
  })
  return text
}

console.log(await answer('ann', 'Save the number 42 to number.txt.'))
console.log(await answer('ann', 'Read number.txt.'))
await Promise.all([...sessions.keys()].map(end))
