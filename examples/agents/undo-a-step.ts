// An agent whose wrong step is undone: it computes again with the variables of before, and its model reads that the step is gone.
import { CodeExecutorAgent } from '@fenced/agents'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'

const executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap', stateful: true })
const coder = new CodeExecutorAgent({ name: 'coder', executor, model: 'anthropic/claude-sonnet-4.5' })
try {
  await coder.run('Keep these prices: 5, unknown, 7.')
  console.log((await coder.run('What is their mean?')).text)
  // It has replaced the unknown price by 0.
  await executor.session?.undo()
  const running = coder.run('Leave out unknown prices. What is the mean?')
  for await (const event of running) if (event.type === 'notice') console.log(event.notice.message)
  console.log((await running).text)
} finally {
  await executor.stop()
}
