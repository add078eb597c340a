// The model sees what its program draws. No word of it in the program: an open figure is enough.
import { CodeExecutorAgent } from '@fenced/agents'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'

const executor = new LocalCommandLineCodeExecutor({
  isolation: 'bubblewrap',
  python: process.env.VIRTUAL_ENV,
})
const coder = new CodeExecutorAgent({
  name: 'coder',
  executor,
  model: 'anthropic/claude-sonnet-4.5',
  pictures: true,
})
try {
  const { text, files } = await coder.run('Draw the sine with Matplotlib, and tell me whether it is right.')
  console.log(text)
  for (const { path } of files) console.log(path)
} finally {
  await executor.stop()
}
