// One agent writes and runs programs. A second agent, of the AI SDK, reviews the results and ends the task when they are right.
import { CodeExecutorAgent, RoundRobinGroupChat } from '@fenced/agents'
import { TextMentionTermination } from '@fenced/agents/termination'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { showRun } from '@fenced/terminal'
import { ToolLoopAgent } from 'ai'

const model = 'anthropic/claude-sonnet-4.5'
const executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
const critic = new ToolLoopAgent({
  id: 'critic',
  model,
  instructions: 'Say what is wrong with the answer. Say APPROVED when nothing is.',
})
const team = new RoundRobinGroupChat({
  participants: [new CodeExecutorAgent({ name: 'coder', executor, model }), critic],
  terminationCondition: new TextMentionTermination({ text: 'APPROVED' }),
  maxTurns: 8,
})
try {
  await showRun(team.run('On which weekday did the year 2000 begin?'))
} finally {
  await executor.stop()
}
