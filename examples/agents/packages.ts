// Programs that need packages: a virtual environment has them, and the model reads that it has.
import { CodeExecutorAgent } from '@fenced/agents'
import { VenvPythonEnvironment } from '@fenced/python-env'

const environment = new VenvPythonEnvironment({ packages: ['humanize'] })
const executor = await environment.createExecutor()
const coder = new CodeExecutorAgent({
  name: 'coder',
  executor,
  model: 'anthropic/claude-sonnet-4.5',
  reflectOnResult: false,
})
try {
  const { text } = await coder.run('Write 10 ** 9 in words with the package humanize.')
  console.log(text)
} finally {
  await executor.stop()
  await environment.stop()
}
