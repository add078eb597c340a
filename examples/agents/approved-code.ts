// An agent that repairs its own programs, each of which a person approves. What was approved once runs again unasked.
import { approveByPerson, CodeExecutorAgent } from '@fenced/agents'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { showRun, TerminalHumanInput } from '@fenced/terminal'

const executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
const coder = new CodeExecutorAgent({
  name: 'coder',
  executor,
  model: 'anthropic/claude-sonnet-4.5',
  maxRetriesOnError: 2,
  ask: { code: approveByPerson(new TerminalHumanInput(), { brief: true }) },
})
try {
  await showRun(coder.run('Print the third line of poem.txt.'))
} finally {
  await executor.stop()
}
